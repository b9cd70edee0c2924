import type { MediaItem } from '../tasks/inputs.ts';
import { MiniMaxError } from './errors.ts';

export type ContentItem = { readonly type: 'text'; readonly text: string } | MediaItem;

const promptMaxCharacters = 7_000;
const most = { image_url: 9, video_url: 3, audio_url: 3 } as const;

export const promptOf = (items: readonly ContentItem[]): string =>
  items.find((item) => item.type === 'text')?.text ?? '';

/**
 * Throws the vendor's response to content that breaks one of its rules; the first that is broken
 * is the response.
 */
export function checkContent(items: readonly ContentItem[]): void {
  const media = items.filter((item): item is MediaItem => item.type !== 'text');
  const prompt = promptOf(items);
  const isFrame = media.map(({ role }) => role === 'first_frame' || role === 'last_frame');
  const rules: readonly (readonly [broken: boolean, message: string])[] = [
    [
      items.length - media.length !== 1 || prompt.trim() === '',
      'content needs exactly one text that is not empty',
    ],
    [prompt.length > promptMaxCharacters, `text may have ${promptMaxCharacters} characters`],
    [
      media.length > 1 && media.some(({ role }) => role === undefined),
      'each of several items needs a role',
    ],
    [isFrame.includes(true) && isFrame.includes(false), 'frames and references cannot be mixed'],
    [hasTwice(media, 'first_frame') || hasTwice(media, 'last_frame'), 'a frame is given once'],
    [
      media.length > 0 && media.every(({ type }) => type === 'audio_url'),
      'audio needs an image or a video',
    ],
    ...Object.entries(most).map(
      ([type, count]) =>
        [
          media.filter((item) => item.type === type).length > count,
          `at most ${count} items of ${type}`,
        ] as const,
    ),
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken !== undefined) throw new MiniMaxError(2013, `invalid params, ${broken[1]}`);
}

const hasTwice = (media: readonly { readonly role?: string }[], role: string): boolean =>
  media.filter((item) => item.role === role).length > 1;
