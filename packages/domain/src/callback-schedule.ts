/**
 * Waits before the second to the sixth attempt, in milliseconds: five retries, as the interface
 * document says.
 */
export const defaultCallbackRetryDelaysMs = [5_000, 60_000, 300_000, 1_800_000, 7_200_000] as const;

/** A Retry-After is honoured up to this. */
const maxRetryAfterMs = 6 * 3_600_000;

/** How an attempt ended, as the delivery log shows it. */
export const attemptClasses = [
  'success',
  'redirect_not_followed',
  'gone',
  'http_error',
  'mismatch',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'timeout_lookup',
  'timeout_connect',
  'timeout_tls',
  'timeout_response',
  'timeout_total',
  'blocked_address',
  'invalid_answer',
  'network_error',
] as const;
export type AttemptClass = (typeof attemptClasses)[number];

/** What a response's status line means. 2xx is success, whatever the body. */
export function classOfStatus(status: number): AttemptClass {
  if (status >= 200 && status < 300) return 'success';
  if (status >= 300 && status < 400) return 'redirect_not_followed';
  return status === 410 ? 'gone' : 'http_error';
}

/** Failures that no repetition can mend: pushing stops at once. */
const final: ReadonlySet<AttemptClass> = new Set(['gone', 'blocked_address', 'mismatch']);

export const stopReasons = ['gone', 'blocked', 'mismatch', 'exhausted'] as const;
export type StopReason = (typeof stopReasons)[number];

export type AfterFailure =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'stop'; readonly reason: StopReason };

export interface FailedAttempt {
  readonly attemptClass: AttemptClass;
  /** Failed attempts in a row, this one included. */
  readonly failures: number;
  readonly retryAfterMs: number | undefined;
  readonly delaysMs: readonly number[];
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * What to do after a failed attempt: wait (±20 %, at least as long as the receiver asked for) or
 * stop for this task.
 */
export function afterFailure({
  attemptClass,
  failures,
  retryAfterMs,
  delaysMs,
  random,
}: FailedAttempt): AfterFailure {
  if (final.has(attemptClass)) return { kind: 'stop', reason: stopReasonOf(attemptClass) };
  const delay = delaysMs[failures - 1];
  if (delay === undefined) return { kind: 'stop', reason: 'exhausted' };
  const jittered = Math.round(delay * (0.8 + 0.4 * random));
  return {
    kind: 'retry',
    afterMs: Math.max(jittered, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)),
  };
}

function stopReasonOf(attemptClass: AttemptClass): StopReason {
  if (attemptClass === 'gone') return 'gone';
  return attemptClass === 'mismatch' ? 'mismatch' : 'blocked';
}

/**
 * A Retry-After header (RFC 9110 section 10.2.3: seconds or an HTTP date) in milliseconds from
 * `now`; undefined when unreadable.
 */
export function parseRetryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
