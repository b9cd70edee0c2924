import type { RedisConnection } from './redis-connection.ts';

export interface PacerPermit {
  readonly granted: boolean;
  /**
   * Granted: make the call after so many ms. Not granted: nothing is booked, ask again after so
   * many ms.
   */
  readonly waitMs: number;
}

export interface PacerLimit {
  /** Calls a second, over all replicas; may be a fraction. */
  readonly perSecond: number;
  /** How far ahead a call may be booked. A shorter horizon yields to a longer one. */
  readonly horizonMs: number;
}

/**
 * Calls a second, over all replicas: each call is given a moment of its own, at least 1/perSecond
 * after the one before, and nothing is saved up while nobody calls. So no second holds more than
 * its share, however many replicas there are. Without Redis each replica spaces its own
 * calls to the whole rate.
 */
export interface Pacers {
  /** Books the next free moment, or says that it is too far ahead. Never throws or rejects. */
  take(subject: string, limit: PacerLimit): Promise<PacerPermit>;
}

export interface PacersPart extends Pacers {
  /** Forgets idle subjects; to be called now and then. */
  sweep(): void;
  size(): number;
}

export interface PacersOptions {
  readonly redis: RedisConnection;
  readonly now: () => number;
  readonly forgetAfterMs: number;
}

interface Waiting extends PacerLimit {
  readonly resolve: (decision: PacerPermit) => void;
}

interface Entry {
  readonly subject: string;
  waiting: Waiting[];
  isSending: boolean;
  usedAt: number;
  /** The next free moment of a replica on its own. */
  aloneAt: number;
}

/** Bookings in one call: none holds Redis up for long. */
const batchSize = 64;

export function createPacers({ redis, now, forgetAfterMs }: PacersOptions): PacersPart {
  const entries = new Map<string, Entry>();
  const open = (subject: string): Entry => {
    const entry: Entry = { subject, waiting: [], isSending: false, usedAt: 0, aloneAt: -Infinity };
    entries.set(subject, entry);
    return entry;
  };
  /** One call at a time for a subject; whoever arrives meanwhile goes with the next. */
  const flush = async (entry: Entry): Promise<void> => {
    entry.isSending = true;
    while (entry.waiting.length > 0) {
      // The furthest horizon books first: a create overtakes the polls that came before it.
      const batch = entry.waiting
        .sort((one, other) => other.horizonMs - one.horizonMs)
        .splice(0, batchSize);
      try {
        const values = batch.flatMap(({ perSecond, horizonMs }) => [
          1_000_000 / perSecond,
          horizonMs * 1_000,
        ]);
        const waits = (await redis.run({
          script: 'bookPace',
          key: `pace:${entry.subject}`,
          values,
        })) as readonly number[];
        batch.forEach(({ resolve }, index) => {
          resolve(decide(waits[index] ?? 0));
        });
      } catch {
        for (const { resolve, ...limit } of batch) resolve(bookAlone(entry, limit, now()));
      }
    }
    entry.isSending = false;
  };
  return {
    take(subject, limit) {
      const entry = entries.get(subject) ?? open(subject);
      entry.usedAt = now();
      if (!redis.isUp()) return Promise.resolve(bookAlone(entry, limit, now()));
      return new Promise((resolve) => {
        entry.waiting.push({ ...limit, resolve });
        if (!entry.isSending) void flush(entry);
      });
    },
    sweep() {
      const time = now();
      for (const entry of entries.values()) {
        if (!entry.isSending && time - Math.max(entry.usedAt, entry.aloneAt) > forgetAfterMs) {
          entries.delete(entry.subject);
        }
      }
    },
    size: () => entries.size,
  };
}

/** Without Redis: a replica that spaces its own calls only. */
function bookAlone(entry: Entry, { perSecond, horizonMs }: PacerLimit, time: number): PacerPermit {
  const waitMs = Math.max(0, entry.aloneAt - time);
  if (waitMs > horizonMs) return { granted: false, waitMs: waitMs - horizonMs };
  entry.aloneAt = time + waitMs + 1000 / perSecond;
  return { granted: true, waitMs };
}

/**
 * Redis responds in microseconds: those until a booked moment, or below zero how far it lies beyond
 * the horizon.
 */
const decide = (micros: number): PacerPermit =>
  micros < 0
    ? { granted: false, waitMs: Math.ceil(-micros / 1_000) }
    : { granted: true, waitMs: micros / 1_000 };
