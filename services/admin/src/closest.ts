/** More edits than this are no typing mistake. */
const mostEdits = 2;

/**
 * The names that somebody may have meant: those that are the fewest edits away, or that share the
 * first or the last word. What follows a name may be its argument. At most three.
 */
export function closestTo(text: string, names: readonly string[]): readonly string[] {
  const words = text.split(' ');
  const ranked = names
    .map((name) => {
      const length = name.split(' ').length;
      const edits = Math.min(
        editsBetween(text, name),
        editsBetween(words.slice(0, length).join(' '), name),
      );
      return { name, edits, distance: edits - length };
    })
    .filter(({ edits }) => edits <= mostEdits)
    .sort((one, other) => one.distance - other.distance);
  const close = ranked.filter(({ distance }) => distance === ranked[0]?.distance);
  const found = close.length > 0 ? close.map(({ name }) => name) : namesWithAWordOf(text, names);
  return found.slice(0, 3);
}

const namesWithAWordOf = (text: string, names: readonly string[]): string[] => {
  const words = new Set(text.split(' ').map(singular));
  return names.filter((name) => name.split(' ').some((word) => words.has(singular(word))));
};

const singular = (word: string): string => word.replace(/s$/, '');

/** Letters to insert, delete or replace (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of one.split('').entries()) {
    const next = [i + 1];
    for (const [j, against] of other.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
