import type { Resolution } from '../tasks/parameters.ts';

export interface Model {
  /** By the vendor's own name: which of the sandbox's resolutions comes nearest. */
  readonly resolutions: Readonly<Record<string, Resolution>>;
  readonly seconds: { readonly min: number; readonly max: number };
}

/** The models of the second video interface, with their documented bounds. */
export const models: Readonly<Record<string, Model>> = {
  'MiniMax-H3': { resolutions: { '768P': '720p', '2K': '1080p' }, seconds: { min: 4, max: 15 } },
  'MiniMax-H3-Max': {
    resolutions: { '480P': '480p', '768P': '720p' },
    seconds: { min: 5, max: 15 },
  },
};
