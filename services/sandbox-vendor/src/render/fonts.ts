import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

const require = createRequire(import.meta.url);

/**
 * DejaVu Sans covers Latin, Greek, Cyrillic and more; Unifont, coarser, has a glyph for every
 * character of the world's living scripts.
 */
const files = {
  regular: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2',
  bold: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2',
  world: '@fontsource/unifont/files/unifont-latin-400-normal.woff2',
} as const;

export type FontWeight = 'regular' | 'bold';

/**
 * The font of the picture as a CSS font; it comes with packages, so pictures do not depend on the
 * machine's fonts.
 */
export const font = (weight: FontWeight, pixels: number): string =>
  `${pixels}px "${registered(weight)}", "${registered('world')}", sans-serif`;

function registered(name: keyof typeof files): string {
  const family = `Sandbox ${name}`;
  if (!GlobalFonts.has(family)) {
    GlobalFonts.registerFromPath(require.resolve(files[name]), family);
  }
  return family;
}
