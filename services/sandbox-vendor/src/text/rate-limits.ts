import type { DialectName } from './failures.ts';

const windowMs = 60_000;

/** What one account may use in a minute. The headers count it; nobody is refused. */
const allowance = { requests: 4_000, 'input-tokens': 2_000_000, 'output-tokens': 400_000 } as const;
type Resource = keyof typeof allowance;

export interface RateLimits {
  use(resource: Resource, amount: number): void;
  /** The rate-limit headers of a response of this dialect. */
  headers(dialect: DialectName): Readonly<Record<string, string>>;
}

/** Counts what is used in windows of a minute, and says so in headers as real vendors do. */
export function createRateLimits({ now }: { now: () => number }): RateLimits {
  let windowEndsAtMs = 0;
  let used = { requests: 0, 'input-tokens': 0, 'output-tokens': 0 };
  const turn = (): void => {
    if (now() < windowEndsAtMs) return;
    windowEndsAtMs = now() + windowMs;
    used = { requests: 0, 'input-tokens': 0, 'output-tokens': 0 };
  };
  const left = (resource: Resource): number => Math.max(0, allowance[resource] - used[resource]);
  return {
    use(resource, amount) {
      turn();
      used[resource] += amount;
    },
    headers(dialect) {
      turn();
      const tokens = {
        limit: allowance['input-tokens'] + allowance['output-tokens'],
        remaining: left('input-tokens') + left('output-tokens'),
      };
      const rows = { requests: { limit: allowance.requests, remaining: left('requests') }, tokens };
      if (dialect !== 'messages') return chatHeaders(rows, Math.max(0, windowEndsAtMs - now()));
      const both = {
        ...rows,
        ...Object.fromEntries(
          (['input-tokens', 'output-tokens'] as const).map((name) => [
            name,
            { limit: allowance[name], remaining: left(name) },
          ]),
        ),
      };
      return messagesHeaders(both, new Date(windowEndsAtMs));
    },
  };
}

type Rows = Readonly<Record<string, { readonly limit: number; readonly remaining: number }>>;

/** The reset is a time of day there. */
const messagesHeaders = (rows: Rows, resetAt: Date): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, { limit, remaining }]) => [
      [`anthropic-ratelimit-${name}-limit`, String(limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(remaining)],
      [`anthropic-ratelimit-${name}-reset`, resetAt.toISOString().replace(/\.\d{3}/, '')],
    ]),
  );

/** The reset is a duration there. */
const chatHeaders = (rows: Rows, resetAfterMs: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, { limit, remaining }]) => [
      [`x-ratelimit-limit-${name}`, String(limit)],
      [`x-ratelimit-remaining-${name}`, String(remaining)],
      [`x-ratelimit-reset-${name}`, durationText(resetAfterMs)],
    ]),
  );

/** `12ms`, `6s`, `1m3s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`;
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
