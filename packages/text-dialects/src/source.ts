/** Where a text of a completion has something from. */
export interface Source {
  readonly url: string;
  readonly title?: string;
  /** Words of the source. */
  readonly quote?: string;
  /** The part of the text that rests on it, in UTF-16 units; absent: no part of its own. */
  readonly from?: number;
  readonly to?: number;
}

/** The same source in a text that has so much before it; less than 0 where that is taken away. */
export const movedSource = (source: Source, by: number): Source =>
  source.from === undefined || source.to === undefined
    ? source
    : { ...source, from: source.from + by, to: source.to + by };
