import { performance } from 'node:perf_hooks';
import { describeError } from '@gateway/domain';
import type { HealthCheck } from '../http/index.ts';
import type { Part } from '../lifecycle/index.ts';
import type { Log } from '../log.ts';
import { Gauge, type Registry } from '../metrics/index.ts';
import { betterReading, timeAt, uncertaintyAt, type ClockReading } from './clock-reading.ts';

export interface SharedClockOptions {
  /** Says what its clock shows, in ms since the epoch. */
  readonly database: { readonly readTime: () => Promise<number> };
  readonly settings: { readonly CLOCK_MAX_OFFSET_MS: number };
  readonly metrics: Registry;
  readonly log: Log;
  /** The process's own clock; ms since the epoch. */
  readonly wall?: () => number;
  /** Ms of a clock that never jumps. */
  readonly monotonic?: () => number;
}

/**
 * The database's clock, which all processes share: whatever two of them must agree on goes by it.
 * Between readings it goes on with the monotonic clock, so that setting the machine's clock changes
 * nothing.
 */
export interface SharedClock {
  /** Whole ms since the epoch; by the process's own clock until the database was read once. */
  readonly now: () => number;
  /** The same as a Date. */
  readonly date: () => Date;
  /** How far the process's own clock is ahead, in ms; undefined until the database was read once. */
  readonly offsetMs: () => number | undefined;
  /**
   * Whether this process may do work that depends on time. Other software in it, such as the job
   * queue, goes by the process's own clock.
   */
  readonly isRight: () => boolean;
  /** Rejects while the clock is not right. */
  readonly check: HealthCheck;
  readonly part: Part;
}

/** A clock that is off, or has not been read, is read more often: it may have been corrected. */
const pauseMs = { right: 5_000, wrong: 1_000 } as const;
/** A start does not wait longer for the database: the clock is read as soon as it responds. */
const startTimeoutMs = 2_000;

export function createSharedClock({
  database,
  settings: { CLOCK_MAX_OFFSET_MS: maxOffsetMs },
  metrics,
  log,
  wall = Date.now,
  monotonic = () => performance.now(),
}: SharedClockOptions): SharedClock {
  let known: ClockReading | undefined;
  const offsetMs = (): number | undefined => known && wall() - timeAt(known, monotonic());
  const isRight = (): boolean =>
    known !== undefined &&
    Math.abs(offsetMs() ?? 0) <= maxOffsetMs + uncertaintyAt(known, monotonic());
  const now = (): number => (known === undefined ? wall() : Math.round(timeAt(known, monotonic())));
  const tell = createTeller({ offsetMs, isRight, log });
  const read = async (): Promise<void> => {
    const askedMs = monotonic();
    const timeMs = await database.readTime();
    const uncertaintyMs = (monotonic() - askedMs) / 2;
    known = betterReading(known, { timeMs, atMs: askedMs + uncertaintyMs, uncertaintyMs });
    tell();
  };
  offsetGauge(metrics, offsetMs);
  return {
    now,
    date: () => new Date(now()),
    offsetMs,
    isRight,
    async check() {
      if (known === undefined) await read();
      if (!isRight()) throw new WrongClock(offsetMs());
    },
    part: readingPart({ read, isRight, log }),
  };
}

class WrongClock extends Error {
  override readonly name = 'WrongClock';
  readonly code = 'CLOCK_OFF';

  constructor(offsetMs: number | undefined) {
    super(`the clock of this machine is ${inWords(offsetMs)}: let a time service set both`);
  }
}

const inWords = (offsetMs: number | undefined): string =>
  offsetMs === undefined
    ? 'not compared yet'
    : `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database's`;

/** Logs each change between right and wrong once. */
function createTeller({
  offsetMs,
  isRight,
  log,
}: Pick<SharedClock, 'offsetMs' | 'isRight'> & { readonly log: Log }): () => void {
  let wasRight = true;
  return () => {
    if (isRight() === wasRight) return;
    wasRight = isRight();
    const fields = { offsetSeconds: Math.round(offsetMs() ?? 0) / 1000 };
    if (wasRight) log.info('clock is right again', fields);
    else log.error('clock differs from the database’s, no work that depends on time', fields);
  };
}

function offsetGauge(metrics: Registry, offsetMs: SharedClock['offsetMs']): void {
  const offset = new Gauge({
    name: 'gateway_clock_offset_seconds',
    help: 'How far the clock of this process is ahead of the database’s.',
    registers: [metrics],
    collect() {
      const ms = offsetMs();
      if (ms !== undefined) offset.set(ms / 1000);
    },
  });
}

/** Reads the clock at the start and then again and again; without the database it goes on. */
function readingPart({
  read,
  isRight,
  log,
}: {
  readonly read: () => Promise<void>;
  readonly isRight: () => boolean;
  readonly log: Log;
}): Part {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    await read().catch((error: unknown) => {
      log.warn('the database’s clock could not be read', { reason: describeError(error) });
    });
    if (stopped) return;
    timer = setTimeout(() => void round(), isRight() ? pauseMs.right : pauseMs.wrong);
    timer.unref();
  };
  return {
    name: 'clock',
    async start() {
      let late: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        late = setTimeout(resolve, startTimeoutMs);
      });
      await Promise.race([round(), timeout]).finally(() => {
        clearTimeout(late);
      });
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      return Promise.resolve();
    },
  };
}
