/** Some of the long test files, and how many of them run at once. */
export interface LongPass {
  readonly workers: number;
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
}

/**
 * Most long files start every service and wait for them: two at once keep two cores busy, and more
 * would be late where times are promised.
 */
export const usualLongWorkers = 2;

/** In a comment at the top of a file. */
const pragma = /^\/\*\*(?:(?!\*\/)[^])*?@workers (\d+)/;

/**
 * How many files may run at once with this one, as it says itself: `@workers 3` in the comment that
 * it begins with, where it promises no times.
 */
export const workersOf = (source: string): number =>
  Number(pragma.exec(source)?.[1] ?? usualLongWorkers);

/** The files by how many run at once, most at once first. */
export function longPassesOf(sources: ReadonlyMap<string, string>): readonly LongPass[] {
  const passes = new Map<number, string[]>();
  for (const [file, source] of sources) {
    const workers = workersOf(source);
    passes.set(workers, [...(passes.get(workers) ?? []), file]);
  }
  return [...passes]
    .map(([workers, files]) => ({ workers, files }))
    .sort((one, other) => other.workers - one.workers);
}
