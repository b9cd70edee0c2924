/** What is seen of a worker at one moment. */
export interface WorkerLook {
  /** Milliseconds of a clock that never jumps. */
  readonly atMs: number;
  /** Jobs that the worker took since it started. */
  readonly taken: number;
  /**
   * Whether jobs wait for somebody to take them, and the worker has room for one; undefined when
   * nobody can tell.
   */
  readonly couldTake: boolean | undefined;
}

/** What the watchdog remembers from look to look. */
export interface Vigil {
  readonly last: WorkerLook;
  /**
   * Since when every look found work that the worker could have taken and did not; undefined: it is
   * not idle.
   */
  readonly idleSinceMs: number | undefined;
}

/**
 * Looks further apart than this many times their usual distance say nothing of the time between:
 * the process itself stood still.
 */
const longestGap = 3;

/**
 * The vigil after one more look. Whatever is not known to be idleness starts it anew: a restart
 * must not be asked for while stores are away.
 */
export function keepVigil(before: Vigil | undefined, look: WorkerLook, everyMs: number): Vigil {
  const hasGap = before === undefined || look.atMs - before.last.atMs > longestGap * everyMs;
  if (look.couldTake !== true) return { last: look, idleSinceMs: undefined };
  if (hasGap || look.taken !== before.last.taken) return { last: look, idleSinceMs: look.atMs };
  return { last: look, idleSinceMs: before.idleSinceMs ?? look.atMs };
}

/** For how many milliseconds the worker has taken nothing that it could have taken. */
export const idleMs = ({ last, idleSinceMs }: Vigil): number =>
  idleSinceMs === undefined ? 0 : last.atMs - idleSinceMs;

/** Looks so often that one missed look does not hide what came in between. */
export const watchEveryMs = (stalledAfterMs: number): number =>
  Math.min(15_000, Math.max(20, stalledAfterMs / 8));
