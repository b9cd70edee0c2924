/**
 * Of a wire format with few words: a length is one of a list, and a picture has one word for both
 * its resolution and its ratio.
 */
export interface VideoFormat {
  /** Lengths in seconds that can be asked for. */
  readonly seconds: readonly number[];
  /** The vendor's word for a picture, by resolution and ratio. */
  readonly sizes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The ratios that can be asked for at a resolution. */
export const ratiosAt = ({ sizes }: VideoFormat, resolution: string): readonly string[] =>
  Object.hasOwn(sizes, resolution) ? Object.keys(sizes[resolution] ?? {}) : [];

/** The vendor's word for a picture of this resolution and ratio, if it has one. */
export const sizeOf = (
  { sizes }: VideoFormat,
  { resolution, ratio }: { readonly resolution: string; readonly ratio: string },
): string | undefined => Object.entries(sizes).find(([name]) => name === resolution)?.[1][ratio];
