import { createBreaker, type Breaker, type BreakerRules } from './breaker.ts';
import type { RedisConnection } from './redis-connection.ts';

export interface BreakersOptions {
  readonly redis: RedisConnection;
  readonly now: () => number;
  readonly replicaId: string;
  readonly rules: BreakerRules;
  /** How long a permit to probe lasts while it is not used or renewed. */
  readonly permitMs: number;
  readonly forgetAfterMs: number;
}

export interface BreakerEntry {
  readonly name: string;
  readonly breaker: Breaker;
  isAsking: boolean;
  /** When a request was last refused for lack of the permit to probe, in ms. */
  wantedAt: number;
  due: NodeJS.Timeout | undefined;
}

export interface BreakerEntries {
  of(name: string): BreakerEntry;
  all(): Iterable<BreakerEntry>;
  forget(entry: BreakerEntry): void;
}

/** The breakers this replica knows of; closed until it hears otherwise. */
export function createBreakerEntries(): BreakerEntries {
  const entries = new Map<string, BreakerEntry>();
  return {
    of(name) {
      const known = entries.get(name);
      if (known !== undefined) return known;
      const entry: BreakerEntry = {
        name,
        breaker: createBreaker(),
        isAsking: false,
        wantedAt: -Infinity,
        due: undefined,
      };
      entries.set(name, entry);
      return entry;
    },
    all: () => entries.values(),
    forget({ name, due }) {
      clearTimeout(due);
      entries.delete(name);
    },
  };
}
