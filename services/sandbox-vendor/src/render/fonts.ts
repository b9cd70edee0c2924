import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

const require = createRequire(import.meta.url);

/**
 * DejaVu Sans covers Latin, Greek, Cyrillic and more; other scripts come from the system's fonts,
 * where there are any.
 */
const files = {
  regular: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2',
  bold: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2',
} as const;

export type FontWeight = keyof typeof files;

/**
 * The font of the picture as a CSS font; it comes with the package, so pictures do not depend on
 * the machine's fonts.
 */
export function font(weight: FontWeight, pixels: number): string {
  const family = `Sandbox ${weight}`;
  if (!GlobalFonts.has(family)) {
    GlobalFonts.registerFromPath(require.resolve(files[weight]), family);
  }
  return `${pixels}px "${family}", sans-serif`;
}
