import type { Link } from './link.ts';

export interface PaceDecision {
  readonly granted: boolean;
  /**
   * Granted: make the call after so many ms. Not granted: nothing is booked, ask again after so
   * many ms.
   */
  readonly waitMs: number;
}

export interface Pace {
  /** Calls a second, over all replicas; may be a fraction. */
  readonly perSecond: number;
  /** How far ahead a call may be booked. Who books less far yields to who books further. */
  readonly horizonMs: number;
}

/**
 * Calls a second, over all replicas: each call is given a moment of its own, at least 1/perSecond
 * after the one before, and nothing is saved up while nobody calls. So no second holds more than
 * its share, however many replicas there are. Without Redis each replica keeps the whole pace
 * alone.
 */
export interface Paces {
  /** Books the next free moment, or says that it is too far ahead. Never throws or rejects. */
  take(subject: string, pace: Pace): Promise<PaceDecision>;
}

export interface PacesPart extends Paces {
  /** Forgets idle subjects; to be called now and then. */
  sweep(): void;
  size(): number;
}

export interface PacesOptions {
  readonly link: Link;
  readonly now: () => number;
  readonly forgetAfterMs: number;
}

interface Waiting extends Pace {
  readonly answer: (decision: PaceDecision) => void;
}

interface Entry {
  readonly subject: string;
  waiting: Waiting[];
  isOnTrip: boolean;
  usedAt: number;
  /** The next free moment of a replica on its own. */
  aloneAt: number;
}

/** Bookings of one trip: Redis is held up by none for long. */
const mostInTrip = 64;

export function createPaces({ link, now, forgetAfterMs }: PacesOptions): PacesPart {
  const entries = new Map<string, Entry>();
  const open = (subject: string): Entry => {
    const entry: Entry = { subject, waiting: [], isOnTrip: false, usedAt: 0, aloneAt: -Infinity };
    entries.set(subject, entry);
    return entry;
  };
  const bookAlone = (entry: Entry, { perSecond, horizonMs }: Pace): PaceDecision => {
    const time = now();
    const waitMs = Math.max(0, entry.aloneAt - time);
    if (waitMs > horizonMs) return { granted: false, waitMs: waitMs - horizonMs };
    entry.aloneAt = time + waitMs + 1000 / perSecond;
    return { granted: true, waitMs };
  };
  /** One trip at a time for a subject; who comes meanwhile goes with the next. */
  const travel = async (entry: Entry): Promise<void> => {
    entry.isOnTrip = true;
    while (entry.waiting.length > 0) {
      // Who may book furthest is asked for first: a create passes the looks that came before it.
      const company = entry.waiting
        .sort((one, other) => other.horizonMs - one.horizonMs)
        .splice(0, mostInTrip);
      try {
        const values = company.flatMap(({ perSecond, horizonMs }) => [
          1_000_000 / perSecond,
          horizonMs * 1_000,
        ]);
        const waits = (await link.run({
          script: 'bookPace',
          key: `pace:${entry.subject}`,
          values,
        })) as readonly number[];
        company.forEach(({ answer }, index) => {
          answer(decide(waits[index] ?? 0));
        });
      } catch {
        for (const { answer, ...pace } of company) answer(bookAlone(entry, pace));
      }
    }
    entry.isOnTrip = false;
  };
  return {
    take(subject, pace) {
      const entry = entries.get(subject) ?? open(subject);
      entry.usedAt = now();
      if (!link.isUp()) return Promise.resolve(bookAlone(entry, pace));
      return new Promise((answer) => {
        entry.waiting.push({ ...pace, answer });
        if (!entry.isOnTrip) void travel(entry);
      });
    },
    sweep() {
      const time = now();
      for (const entry of entries.values()) {
        if (!entry.isOnTrip && time - Math.max(entry.usedAt, entry.aloneAt) > forgetAfterMs) {
          entries.delete(entry.subject);
        }
      }
    },
    size: () => entries.size,
  };
}

/**
 * Redis answers in microseconds: those until a booked moment, or below zero how far it lies beyond
 * the horizon.
 */
const decide = (micros: number): PaceDecision =>
  micros < 0
    ? { granted: false, waitMs: Math.ceil(-micros / 1_000) }
    : { granted: true, waitMs: micros / 1_000 };
