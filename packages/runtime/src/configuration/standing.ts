import type { ConfigurationStanding } from '@gateway/contracts';

/** Of a refused version: the first of its problems say what is wrong, and a broken file has thousands. */
const mostProblems = 20;
const longestProblem = 500;

/** Keeps which version a process works with, and which it refused last. */
export interface VersionHistory {
  now(): ConfigurationStanding;
  taken(hash: string): void;
  refused(hash: string, problems: readonly string[]): void;
}

export function createVersionHistory(hash: string, now: () => Date): VersionHistory {
  let standing: ConfigurationStanding = {
    generation: 1,
    hash,
    since: now().toISOString(),
    refused: null,
  };
  return {
    now: () => standing,
    taken(next) {
      standing = {
        generation: standing.generation + 1,
        hash: next,
        since: now().toISOString(),
        refused: null,
      };
    },
    refused(refusedHash, problems) {
      standing = {
        ...standing,
        refused: {
          hash: refusedHash,
          at: now().toISOString(),
          problems: problems
            .slice(0, mostProblems)
            .map((problem) => problem.slice(0, longestProblem)),
        },
      };
    },
  };
}
