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
  /** Uniform in [0, 1), to spread the pauses; by default they are as the rules say. */
  readonly random?: (() => number) | undefined;
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
  /** Undefined for one that this replica never heard of: it is closed. */
  find(name: string): BreakerEntry | undefined;
  all(): Iterable<BreakerEntry>;
  /** No breaker is open or on trial. */
  areClosed(): boolean;
  /** To be called when the state of a breaker has changed. */
  noteState(entry: BreakerEntry): void;
  forget(entry: BreakerEntry): void;
}

/** The breakers this replica knows of; closed until it hears otherwise. */
export function createBreakerEntries(): BreakerEntries {
  const entries = new Map<string, BreakerEntry>();
  const standing = new Set<string>();
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
    find: (name) => entries.get(name),
    all: () => entries.values(),
    areClosed: () => standing.size === 0,
    noteState({ name, breaker }) {
      if (breaker.state === 'closed') standing.delete(name);
      else standing.add(name);
    },
    forget({ name, due }) {
      standing.delete(name);
      clearTimeout(due);
      entries.delete(name);
    },
  };
}
