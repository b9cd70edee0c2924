import { ApiError, ConnectionError } from './errors.ts';

/** How a call may be repeated. */
export interface Repetition {
  /** How often a call is repeated after its first attempt. */
  readonly retries: number;
  /** A wait that the gateway asks for and that is longer than this is left to the caller. */
  readonly maxWaitMs: number;
}

/**
 * `anyway`: doing it twice does no more than doing it once, so a lost response is asked for again.
 * `if refused`: only after a response which says that nothing was done.
 */
export type Repeatable = 'anyway' | 'if refused';

const passing = new Set([408, 429, 502, 503, 504]);
const nothingDone = new Set([429, 503]);
const firstWaitMs = 500;
const longestWaitMs = 8_000;

/** How long to wait before the next attempt; undefined: there is none. */
export function waitBeforeRetry(
  error: unknown,
  {
    attempt,
    repeatable,
    limits: { retries, maxWaitMs },
    random,
  }: {
    /** 1 after the first. */
    readonly attempt: number;
    readonly repeatable: Repeatable;
    readonly limits: Repetition;
    /** 0 to 1. */
    readonly random: number;
  },
): number | undefined {
  if (attempt > retries || !mayRepeat(error, repeatable)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return asked <= maxWaitMs ? asked : undefined;
  const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
  return Math.min(maxWaitMs, backoff * (0.5 + random / 2));
}

function mayRepeat(error: unknown, repeatable: Repeatable): boolean {
  if (error instanceof ConnectionError) return repeatable === 'anyway';
  if (!(error instanceof ApiError)) return false;
  if (repeatable === 'anyway') return passing.has(error.status);
  return nothingDone.has(error.status) && error.code !== 'outcome_unknown';
}

/** Waits, unless the signal ends the wait. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
