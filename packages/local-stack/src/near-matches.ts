const shown = 5;
/** Below it, names have little more in common than letters. */
const leastLikeness = 0.4;

/**
 * The test files whose names are closest to a pattern that fits none, the closest first. A file may
 * have moved to another folder, so its name counts for itself as well as with its path.
 */
export function nearMatches(pattern: string, files: readonly string[]): readonly string[] {
  const wanted = bare(pattern);
  const wantedName = lastOf(wanted);
  return files
    .map((file) => {
      const path = bare(file);
      return {
        file,
        likeness: Math.max(likeness(wanted, path), likeness(wantedName, lastOf(path))),
      };
    })
    .filter((each) => each.likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness || (a.file < b.file ? -1 : 1))
    .slice(0, shown)
    .map(({ file }) => file);
}

/** Without what every test file has. */
const bare = (path: string): string =>
  path
    .toLowerCase()
    .replace(/^test\//, '')
    .replace(/(?:\.test)?(?:\.[cm]?[jt]s)?$/, '');

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The share of pairs of letters that two words have in common (Sørensen and Dice), 0 to 1. */
function likeness(one: string, other: string): number {
  const [a, b] = [pairsOf(one), pairsOf(other)];
  const common = [...a].filter((pair) => b.has(pair)).length;
  return (2 * common) / Math.max(1, a.size + b.size);
}

const pairsOf = (word: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => word.slice(at, at + 2)));
