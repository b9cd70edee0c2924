/** Some rows of a list that are rendered together. */
export interface Portion<Item> {
  readonly key: string;
  readonly items: readonly Item[];
}

/** One id in 32 ends so, by chance. */
const isEnd = (id: string): boolean => id.endsWith('0');

/**
 * The rows of a list in portions. Where one ends its last id says and no count does, so rows that come before
 * or behind, and those that go, leave the other portions as they are.
 */
export function portionsOf<Item extends { readonly id: string }>(
  items: readonly Item[],
): readonly Portion<Item>[] {
  const ends = items.flatMap(({ id }, index) => (isEnd(id) ? [index + 1] : []));
  const starts = [0, ...ends].filter((start) => start < items.length);
  return starts.map((start, number) => ({
    key: items[start - 1]?.id ?? 'first',
    items: items.slice(start, starts[number + 1]),
  }));
}
