import type { MediaStorage } from './storage.ts';

/**
 * What became of a file: `gone`, `left` because it cannot be deleted now, or `paused` because the
 * storage refuses every deletion: whoever has more to remove comes back later.
 */
export type Removal = 'gone' | 'left' | 'paused';

export interface FileRemoverOptions {
  readonly deleteFile: MediaStorage['delete'];
  /** Milliseconds until a file that could not be deleted so many times is tried again. */
  readonly pauseMs: (failures: number) => number;
  readonly now: () => number;
  readonly onFailure: (failure: {
    readonly key: string;
    readonly error: unknown;
    readonly isFirst: boolean;
  }) => void;
}

export interface FileRemover {
  /** Deletes a file unless it failed a moment ago; never rejects. */
  remove(key: string): Promise<Removal>;
  /** How many files are waiting to be tried again. */
  stuck(): number;
}

interface Failing {
  readonly failures: number;
  readonly nextAt: number;
}

/** What is not in the memory is only tried more often. */
const mostRemembered = 10_000;
/** A storage that refuses so many deletions in a row refuses them all. */
const failuresInARow = 20;
const restMs = 30_000;
/** Nobody has asked for the file again since it was due: another replica has removed it. */
const forgottenAfterMs = 3_600_000;

/**
 * Deletes files for every part of a service that does so. A file that cannot be deleted keeps no
 * other waiting: it is told once, skipped, and tried again with growing pauses.
 */
export function createFileRemover({
  deleteFile,
  pauseMs,
  now,
  onFailure,
}: FileRemoverOptions): FileRemover {
  const failing = new Map<string, Failing>();
  let inARow = 0;
  let restsUntil = 0;

  const noteFailure = (key: string, error: unknown): void => {
    const failures = (failing.get(key)?.failures ?? 0) + 1;
    if (failing.has(key) || failing.size < mostRemembered) {
      failing.set(key, { failures, nextAt: now() + pauseMs(failures) });
    }
    inARow += 1;
    if (inARow >= failuresInARow) {
      inARow = 0;
      restsUntil = now() + restMs;
    }
    onFailure({ key, error, isFirst: failures === 1 });
  };

  return {
    async remove(key) {
      if (now() < restsUntil) return 'paused';
      if (now() < (failing.get(key)?.nextAt ?? 0)) return 'left';
      try {
        await deleteFile(key);
      } catch (error) {
        noteFailure(key, error);
        return 'left';
      }
      inARow = 0;
      failing.delete(key);
      return 'gone';
    },
    stuck() {
      for (const [key, { nextAt }] of failing) {
        if (nextAt + forgottenAfterMs < now()) failing.delete(key);
      }
      return failing.size;
    },
  };
}
