/** What is seen of a worker at one moment. */
export interface WorkerSample {
  /** Milliseconds of a clock that never jumps. */
  readonly atMs: number;
  /** Jobs that the worker took since it started. */
  readonly taken: number;
  /**
   * Whether jobs wait to be taken and the worker has capacity for one; undefined when nobody can
   * tell.
   */
  readonly couldTake: boolean | undefined;
}

/** What the watchdog remembers from sample to sample. */
export interface IdleWatch {
  readonly last: WorkerSample;
  /**
   * Since when every sample showed work that the worker could have taken and did not; undefined: it
   * is not idle.
   */
  readonly idleSinceMs: number | undefined;
}

/**
 * Samples further apart than this many times their usual interval say nothing about the time in
 * between: the process itself stood still.
 */
const longestGap = 3;

/**
 * The watch after one more sample. Anything but certain idleness resets it: stores that are away
 * must not cause a restart.
 */
export function watchWorker(
  before: IdleWatch | undefined,
  sample: WorkerSample,
  everyMs: number,
): IdleWatch {
  const hasGap = before === undefined || sample.atMs - before.last.atMs > longestGap * everyMs;
  if (sample.couldTake !== true) return { last: sample, idleSinceMs: undefined };
  if (hasGap || sample.taken !== before.last.taken) {
    return { last: sample, idleSinceMs: sample.atMs };
  }
  return { last: sample, idleSinceMs: before.idleSinceMs ?? sample.atMs };
}

/** For how many milliseconds the worker has taken nothing although it could have. */
export const idleMs = ({ last, idleSinceMs }: IdleWatch): number =>
  idleSinceMs === undefined ? 0 : last.atMs - idleSinceMs;

/** Often enough that one missed sample does not hide what happened in between. */
export const sampleEveryMs = (stalledAfterMs: number): number =>
  Math.min(15_000, Math.max(20, stalledAfterMs / 8));
