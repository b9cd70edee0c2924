import {
  abandonProbe,
  close,
  isDue,
  judgeCall,
  noteFailure,
  noteSuccess,
  openFor,
  stateOf,
  openNow,
  spread,
  type BreakerRules,
  type BreakerState,
} from './breaker.ts';
import {
  createBreakerEntries,
  type BreakerEntries,
  type BreakerEntry,
  type BreakersOptions,
} from './breaker-entries.ts';
import { createProbePermits, type ProbePermits } from './probe-permits.ts';

/**
 * Circuit breakers by name. Each replica counts outcomes; that a breaker opens or closes is told to
 * all, and a replica that starts reads which are open. After the cool-down one replica at a time has
 * the permit to probe, and hands it over when another one has a request and it has none. Without
 * Redis each replica sends one probe of its own.
 */
export interface Breakers {
  /** False while the breaker is open. After the cool-down, true is the probe: report its outcome. */
  mayTry(name: string): boolean;
  succeeded(name: string): void;
  failed(name: string): void;
  /** Every breaker used lately. `half_open`: the cool-down has ended, the probe has not. */
  states(): ReadonlyMap<string, BreakerState>;
}

/** For those who count failures in a way of their own. */
export interface SteeredBreakers extends Breakers {
  /** No breaker is open or on trial, whatever its name. */
  areClosed(): boolean;
  stateOf(name: string): BreakerState;
  /** Whether `mayTry` would be the probe at this moment. */
  mayProbe(name: string): boolean;
  /** The probe ended without an outcome. */
  abandoned(name: string): void;
  /** Opens it, whatever it has counted. */
  openNow(name: string): void;
  /** Closes it: a request that was sent while it was open has succeeded. */
  reset(name: string): void;
}

export interface BreakersPart extends SteeredBreakers {
  /**
   * Asks for permits to probe what is due, renews them, forgets idle breakers; to be called every
   * second or so.
   */
  tick(): void;
  close(): void;
}

export function createBreakers(options: BreakersOptions): BreakersPart {
  const { redis, now, rules } = options;
  const entries = createBreakerEntries();
  const permits = createProbePermits(options, entries);
  const sharing = createSharing(options, { entries, permits });
  /** After the cool-down, without the permit yet. */
  const mayProbe = (entry: BreakerEntry, time: number): boolean => {
    if (redis.isUp()) {
      permits.want(entry);
      return false;
    }
    entry.breaker.mayProbeUntil = Infinity;
    return judgeCall(entry.breaker, time, rules) === 'probe';
  };
  return {
    mayTry(name) {
      const time = now();
      const entry = entries.of(name);
      const verdict = judgeCall(entry.breaker, time, rules);
      if (verdict === 'pass') return true;
      if (verdict === 'refuse') return false;
      if (verdict === 'ask') return mayProbe(entry, time);
      permits.use(entry);
      return true;
    },
    succeeded(name) {
      const entry = entries.of(name);
      if (noteSuccess(entry.breaker, now()) === 'closed') sharing.closed(entry);
    },
    failed(name) {
      const entry = entries.of(name);
      if (noteFailure(entry.breaker, now(), rulesOf(options)) === 'opened') sharing.opened(entry);
    },
    ...createSteering(options, entries, sharing),
    states() {
      const time = now();
      return new Map([...entries.all()].map(({ name, breaker }) => [name, stateOf(breaker, time)]));
    },
    tick() {
      const time = now();
      for (const entry of entries.all()) {
        permits.keep(entry);
        const isCooling = entry.breaker.state !== 'closed' && time < entry.breaker.until;
        if (!isCooling && time - entry.breaker.usedAt > options.forgetAfterMs) {
          if (entry.breaker.state !== 'closed') sharing.forgotten(entry);
          entries.forget(entry);
        }
      }
    },
    close: permits.close,
  };
}

/** What those need who count failures in a way of their own. */
function createSteering(
  options: BreakersOptions,
  entries: BreakerEntries,
  sharing: Sharing,
): Omit<SteeredBreakers, keyof Breakers> {
  const { now, redis } = options;
  return {
    areClosed: entries.areClosed,
    stateOf(name) {
      const entry = entries.find(name);
      return entry === undefined ? 'closed' : stateOf(entry.breaker, now());
    },
    mayProbe(name) {
      const breaker = entries.find(name)?.breaker;
      const time = now();
      if (breaker?.state !== 'open' || !isDue(breaker, time)) return false;
      return time < breaker.mayProbeUntil || !redis.isUp();
    },
    abandoned(name) {
      const entry = entries.find(name);
      if (entry !== undefined) abandonProbe(entry.breaker, now());
    },
    openNow(name) {
      const entry = entries.of(name);
      if (openNow(entry.breaker, now(), rulesOf(options)) === 'opened') sharing.opened(entry);
    },
    reset(name) {
      const entry = entries.find(name);
      if (entry === undefined || entry.breaker.state === 'closed') return;
      close(entry.breaker, now());
      sharing.closed(entry);
    },
  };
}

const rulesOf = ({ rules, random }: BreakersOptions): BreakerRules =>
  random === undefined ? rules : spread(rules, random());

interface Sharing {
  opened(entry: BreakerEntry): void;
  closed(entry: BreakerEntry): void;
  /** Nobody has asked for it long since it was due: Redis need not keep it for later replicas. */
  forgotten(entry: BreakerEntry): void;
}

const sharedKey = 'circuits';

/**
 * Tells and hears which breakers open and close. What is lost on the way, the other replicas find
 * out for themselves.
 */
function createSharing(
  { redis, now, rules }: BreakersOptions,
  { entries, permits }: { readonly entries: BreakerEntries; readonly permits: ProbePermits },
): Sharing {
  const note = (script: 'openCircuit' | 'closeCircuit', values: (string | number)[]): void => {
    if (redis.isUp()) redis.run({ script, key: sharedKey, values }).catch(() => undefined);
  };
  const tellOpening = ({ name, breaker }: BreakerEntry): void => {
    const coolDownMs = Math.ceil(breaker.until - now());
    note('openCircuit', [name, coolDownMs, breaker.openings, rules.longestCoolDownMs * 2]);
    redis.tell({ kind: 'circuit_opened', name, coolDownMs, openings: breaker.openings });
  };
  const adopt = (
    name: string,
    opening: { readonly coolDownMs: number; readonly openings: number },
  ): void => {
    const entry = entries.of(name);
    openFor(entry.breaker, now(), opening);
    entries.noteState(entry);
    permits.awaitDue(entry);
  };
  redis.onMessage((message) => {
    if (message.kind === 'circuit_opened') adopt(message.name, message);
    if (message.kind !== 'circuit_closed') return;
    const entry = entries.find(message.name);
    if (entry === undefined || entry.breaker.state === 'closed') return;
    close(entry.breaker, now());
    entries.noteState(entry);
  });
  redis.onUp(async () => {
    const time = now();
    for (const entry of entries.all()) {
      if (stateOf(entry.breaker, time) === 'open') tellOpening(entry);
    }
    const open = (await redis.run({ script: 'readCircuits', key: sharedKey })) as (
      string | number
    )[];
    for (let at = 0; at < open.length; at += 3) {
      adopt(String(open[at]), { coolDownMs: Number(open[at + 1]), openings: Number(open[at + 2]) });
    }
  });
  return {
    opened(entry) {
      entries.noteState(entry);
      tellOpening(entry);
      permits.end(entry);
      permits.awaitDue(entry);
    },
    closed(entry) {
      entries.noteState(entry);
      note('closeCircuit', [entry.name]);
      permits.end(entry);
      redis.tell({ kind: 'circuit_closed', name: entry.name });
    },
    forgotten({ name }) {
      note('closeCircuit', [name]);
    },
  };
}
