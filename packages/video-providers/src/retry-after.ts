/** A vendor that asks for more than this is asked again after this long all the same. */
const maxRetryAfterMs = 3_600_000;

/**
 * Milliseconds that a Retry-After header asks to wait (RFC 9110: seconds, or a date), at most an
 * hour; undefined when it cannot be read.
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const askedMs = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - nowMs;
  return Number.isNaN(askedMs)
    ? undefined
    : Math.round(Math.min(Math.max(askedMs, 0), maxRetryAfterMs));
}
