import type { Found } from '../parts/palette.tsx';
import type { Option } from '../parts/palette-options.ts';
import { operatorDestinations } from './destinations.ts';

const pages: readonly Option[] = operatorDestinations.map((page) => ({ ...page, note: 'Page' }));

const places = [
  { id: /^video_[0-9a-z]{26}$/, path: '/operator/videos', note: 'Video', icon: 'film' },
  { id: /^acct_[0-9a-z]{26}$/, path: '/operator/accounts', note: 'Account', icon: 'people' },
] as const;

/** Pages whose name has these words, and what has them as its id. */
export function operatorOptionsFor(words: string): readonly Option[] {
  const text = words.trim().toLowerCase();
  const named = pages.filter(({ name }) => name.toLowerCase().includes(text));
  const exact = places
    .filter(({ id }) => id.test(text))
    .map(({ path, note, icon }) => ({ path: `${path}/${text}`, name: text, note, icon }));
  return [...named, ...exact];
}

/** As the palette asks for it. */
export const useOperatorOptions = (words: string): Found => ({
  options: operatorOptionsFor(words),
  isSearching: false,
});
