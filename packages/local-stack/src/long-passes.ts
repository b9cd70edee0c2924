/** Some of the long test files, and how many of them run at once. */
export interface LongPass {
  readonly workers: number;
  /** It only computes: it takes what all the others leave of the processors, beside them. */
  readonly isBehind: boolean;
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
}

/**
 * Most long files start every service and wait for them: two at once keep two cores busy, and more
 * would be late where times are promised.
 */
export const usualLongWorkers = 2;

/** For files that compute all the time, as many as there are cores. */
const workersBehind = 2;

/** In a comment at the top of a file. */
const pragma = /^\/\*\*(?:(?!\*\/)[^])*?@workers (\d+|behind)/;

/** How many files run at once with this one, or `behind`. */
export type Company = number | 'behind';

/**
 * What a file says in the comment that it begins with: `@workers 3` where it promises no times, or
 * `@workers behind` where it waits for nothing besides, neither for a service nor for a clock.
 */
export function companyOf(source: string): Company {
  const said = pragma.exec(source)?.[1];
  return said === 'behind' ? said : Number(said ?? usualLongWorkers);
}

/** The files by how many run at once, most at once first; at the end those behind the others. */
export function longPassesOf(sources: ReadonlyMap<string, string>): readonly LongPass[] {
  const passes = new Map<Company, string[]>();
  for (const [file, source] of sources) {
    const company = companyOf(source);
    passes.set(company, [...(passes.get(company) ?? []), file]);
  }
  const behind = passes.get('behind');
  passes.delete('behind');
  return [
    ...[...passes]
      .map(([company, files]) => ({ workers: Number(company), isBehind: false, files }))
      .sort((one, other) => other.workers - one.workers),
    ...(behind === undefined ? [] : [{ workers: workersBehind, isBehind: true, files: behind }]),
  ];
}
