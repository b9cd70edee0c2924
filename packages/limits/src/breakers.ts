import { close, judgeCall, noteFailure, noteSuccess, openFor, stateOf } from './breaker.ts';
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
  states(): ReadonlyMap<string, 'open' | 'half_open' | 'closed'>;
}

export interface BreakersPart extends Breakers {
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
      if (noteFailure(entry.breaker, now(), rules) === 'opened') sharing.opened(entry);
    },
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
          entries.forget(entry);
        }
      }
    },
    close: permits.close,
  };
}

interface Sharing {
  opened(entry: BreakerEntry): void;
  closed(entry: BreakerEntry): void;
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
    permits.awaitDue(entry);
  };
  redis.onMessage((message) => {
    if (message.kind === 'circuit_opened') adopt(message.name, message);
    if (message.kind !== 'circuit_closed') return;
    const { breaker } = entries.of(message.name);
    if (breaker.state !== 'closed') close(breaker, now());
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
      tellOpening(entry);
      permits.end(entry);
      permits.awaitDue(entry);
    },
    closed(entry) {
      note('closeCircuit', [entry.name]);
      permits.end(entry);
      redis.tell({ kind: 'circuit_closed', name: entry.name });
    },
  };
}
