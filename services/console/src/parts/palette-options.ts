import type { Video } from '@gateway/client';
import { destinations } from './destinations.ts';
import type { IconName } from './icon.tsx';
import { titleOf } from './video-parts.ts';

/** Something that the palette leads to. */
export interface Option {
  readonly path: string;
  readonly name: string;
  readonly note: string;
  readonly icon: IconName;
}

const pages: readonly Option[] = destinations.map((page) => ({ ...page, note: 'Page' }));

/** Fewer letters find too much to be worth a search of the gateway. */
const leastLetters = 3;
const videoId = /^video_[0-9a-z]{26}$/;

/** What is asked of the gateway for these words; undefined: nothing. */
export function searchFor(words: string): { q: string } | { id_prefix: string } | undefined {
  const text = words.trim();
  if (text.length < leastLetters) return undefined;
  return text.startsWith('video_') ? { id_prefix: text } : { q: text };
}

/** Pages whose name has these words, then videos that the gateway found; a whole id is a video without a search. */
export function optionsFor(words: string, videos: readonly Video[]): readonly Option[] {
  const text = words.trim().toLowerCase();
  const named = pages.filter(({ name }) => name.toLowerCase().includes(text));
  const found = videos.map((video) => ({
    path: `/videos/${video.id}`,
    name: titleOf(video),
    note: `${video.model} · ${video.status}`,
    icon: 'film' as const,
  }));
  const isKnown = videos.some(({ id }) => id === text);
  const exact: readonly Option[] =
    videoId.test(text) && !isKnown
      ? [{ path: `/videos/${text}`, name: text, note: 'Video', icon: 'film' }]
      : [];
  return [...named, ...exact, ...found];
}
