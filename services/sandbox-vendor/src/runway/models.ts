/** What the sandbox knows of a model: documented for its own and for one that is hosted. */
export interface Model {
  /** By what a request says of the picture: `ratio`, with a `resolution` behind it where it has one. */
  readonly pictures: Readonly<Partial<Record<string, { ratio: string; resolution: string }>>>;
  readonly seconds: readonly number[];
  readonly fields: readonly ('audio' | 'seed' | 'resolution')[];
  readonly creditsPerSecond: number;
}

const from = (min: number, max: number): number[] =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

const at = (resolution: string, ratios: Readonly<Record<string, string>>): Model['pictures'] =>
  Object.fromEntries(Object.entries(ratios).map(([pair, ratio]) => [pair, { ratio, resolution }]));

const hd = { '1280:720': '16:9', '720:1280': '9:16' } as const;
const generation4 = at('720p', {
  ...hd,
  '1104:832': '4:3',
  '960:960': '1:1',
  '832:1104': '3:4',
  '1584:672': '21:9',
});

/** Ratios as they are, each at each resolution. */
const spelt = (resolutions: readonly string[]): Model['pictures'] =>
  Object.fromEntries(
    resolutions.flatMap((resolution) =>
      ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'].map((ratio) => [
        `${ratio}${resolution}`,
        { ratio, resolution: resolution.toLowerCase() },
      ]),
    ),
  );

export const models: Readonly<Record<string, Model>> = {
  'gen4.5': { pictures: generation4, seconds: from(2, 10), fields: ['seed'], creditsPerSecond: 12 },
  gen4_turbo: {
    pictures: generation4,
    seconds: from(2, 10),
    fields: ['seed'],
    creditsPerSecond: 5,
  },
  'veo3.1': {
    pictures: { ...at('720p', hd), ...at('1080p', { '1920:1080': '16:9', '1080:1920': '9:16' }) },
    seconds: [4, 6, 8],
    fields: ['audio'],
    creditsPerSecond: 20,
  },
  hailuo3: {
    pictures: spelt(['768P', '2K']),
    seconds: from(4, 15),
    fields: ['resolution'],
    creditsPerSecond: 10,
  },
};
