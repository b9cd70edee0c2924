/** Drawn on a grid of sixteen, with the colour of the words beside them. */
const paths = {
  playground: 'M3 3.5h10v9H3zM6.8 6v4l3.4-2z',
  videos: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M5.5 3.5v9M10.5 3.5v9',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.7 10.7 14 14',
  plus: 'M8 3v10M3 8h10',
  cross: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 5',
  download: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  vary: 'M2.5 5h4l3 6h4M2.5 11h4l.8-1.6M8.7 6.6 9.5 5h4M11.8 3.2 13.6 5l-1.8 1.8M11.8 9.2l1.8 1.8-1.8 1.8',
  code: 'M5.5 4 1.8 8l3.7 4M10.5 4l3.7 4-3.7 4',
  leave: 'M9.5 3H3v10h6.5M6.5 8h7M11 5.2 13.8 8 11 10.8',
  theme: 'M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  trash: 'M2.8 4.2h10.4M6 4V2.5h4V4M4.2 4.2l.6 9.3h6.4l.6-9.3',
  stop: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.8 5.8h4.4v4.4H5.8z',
  film: 'M2.5 3.5h11v9h-11zM6.8 6v4l3.4-2z',
  send: 'M14 2 7 9M14 2l-4.5 12L7 9 2 6.5z',
  play: 'M5 3.2v9.6L13 8z',
  text: 'M3 4.5h10M3 8h10M3 11.5h6',
  picture: 'M2.5 3.5h11v9h-11zM2.5 10.5l3-3 3 3 2-2 3 3M10.5 6.3v.1',
  chart: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  coins:
    'M8 6.5c2.8 0 5-.9 5-2s-2.2-2-5-2-5 .9-5 2 2.2 2 5 2zM3 4.5v7c0 1.1 2.2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  models: 'M8 2 14 5 8 8 2 5zM2 8l6 3 6-3M2 11l6 3 6-3',
  key: 'M6 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.6 7H14v2.5M11.5 7v2',
  pulse: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.4 2.4 0 0 1 0 4.4M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  journal: 'M4 2.5h8v11H4zM6.5 5.5h3M6.5 8h3M6.5 10.5h2M2.5 5h1.5M2.5 8h1.5M2.5 11h1.5',
  book: 'M3 2.8h7.5A2.5 2.5 0 0 1 13 5.3v8H5.5A2.5 2.5 0 0 1 3 10.8zM3 10.8a2.5 2.5 0 0 1 2.5-2.3H13',
} as const;

export type IconName = keyof typeof paths;

/** Says nothing to a screen reader: words stand beside it, or name its button. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
