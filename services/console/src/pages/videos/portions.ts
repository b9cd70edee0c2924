/** Some rows of a list that are rendered together. */
export interface Portion<Item> {
  readonly key: string;
  readonly items: readonly Item[];
}

/**
 * One id in eight ends so, by chance: a portion is laid out as a whole, so of long ones much is laid out
 * that nobody sees.
 */
const endsPortion = /[08gr]$/;
/** One in 256: what has many parts the browser looks through whenever one of them changes. */
const endsGroup = /0[08gr]$/;

/**
 * The rows of a list in portions. Where one ends its last id says and no count does, so rows that come before
 * or behind, and those that go, leave the other portions as they are.
 */
export const portionsOf = <Item extends Identified>(items: readonly Item[]) =>
  cut(items, endsPortion);

/** The same in groups of portions: each ends with one. */
export const groupsOf = <Item extends Identified>(items: readonly Item[]) => cut(items, endsGroup);

interface Identified {
  readonly id: string;
}

function cut<Item extends Identified>(
  items: readonly Item[],
  end: RegExp,
): readonly Portion<Item>[] {
  const ends = items.flatMap(({ id }, index) => (end.test(id) ? [index + 1] : []));
  const starts = [0, ...ends].filter((start) => start < items.length);
  return starts.map((start, number) => ({
    key: items[start - 1]?.id ?? 'first',
    items: items.slice(start, starts[number + 1]),
  }));
}
