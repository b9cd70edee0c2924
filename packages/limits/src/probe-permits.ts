import { isDue } from './breaker.ts';
import type { BreakerEntries, BreakerEntry, BreakersOptions } from './breaker-entries.ts';

/**
 * The permit to probe: a key in Redis that one replica at a time has. Every replica asks for it a
 * little before a cool-down ends, so that the first request after it finds it there; a replica with
 * the permit and no request hands it to one that has a request.
 */
export interface ProbePermits {
  /** Asks for the permit a little before the cool-down ends. */
  awaitDue(entry: BreakerEntry): void;
  /** A request had to be refused for lack of it. */
  want(entry: BreakerEntry): void;
  /** The probe is on its way: nobody else may have the permit while it is. */
  use(entry: BreakerEntry): void;
  /** Renews it, or asks for it, when the breaker is due. */
  keep(entry: BreakerEntry): void;
  /** Takes it from whoever has it: the breaker has opened again, or closed. */
  end(entry: BreakerEntry): void;
  /** Gives everything back. */
  close(): void;
}

const aheadMs = 100;
const keyOf = ({ name }: BreakerEntry): string => `probe:${name}`;

export function createProbePermits(
  options: BreakersOptions,
  entries: BreakerEntries,
): ProbePermits {
  const { now, replicaId, rules, permitMs } = options;
  const send = createSend(options);
  const { claim, end } = createClaims(options, entries);
  let isClosed = false;
  const ask = (entry: BreakerEntry): void => {
    void claim(entry);
  };
  return {
    awaitDue(entry) {
      clearTimeout(entry.due);
      if (isClosed) return;
      const inMs = Math.max(0, entry.breaker.until - now() - aheadMs);
      entry.due = setTimeout(ask, inMs, entry).unref();
    },
    want(entry) {
      entry.wantedAt = now();
      ask(entry);
    },
    use: (entry) => {
      send('claimProbe', entry, [replicaId, rules.probeMs]);
    },
    keep(entry) {
      const time = now();
      if (isDue(entry.breaker, time) && entry.breaker.mayProbeUntil - time < permitMs / 2) {
        ask(entry);
      }
    },
    end: (entry) => {
      send('endProbe', entry, []);
    },
    close() {
      isClosed = true;
      end();
      for (const entry of entries.all()) {
        clearTimeout(entry.due);
        if (entry.breaker.state !== 'closed') send('releaseProbe', entry, [replicaId]);
      }
    },
  };
}

type Send = (
  script: 'claimProbe' | 'endProbe' | 'releaseProbe',
  entry: BreakerEntry,
  values: (string | number)[],
) => void;

/** What is lost on the way, Redis forgets by itself. */
const createSend =
  ({ redis }: BreakersOptions): Send =>
  (script, entry, values) => {
    if (redis.isUp()) redis.run({ script, key: keyOf(entry), values }).catch(() => undefined);
  };

interface Claims {
  /** Asks Redis for the permit; never rejects. */
  claim(entry: BreakerEntry): Promise<void>;
  /** Nothing is claimed from now on. */
  end(): void;
}

/** Gets the permit from Redis, and passes it on between replicas. */
function createClaims(options: BreakersOptions, entries: BreakerEntries): Claims {
  const { redis, now, replicaId, permitMs } = options;
  const send = createSend(options);
  let isEnded = false;
  const isWanted = ({ wantedAt }: BreakerEntry): boolean => now() - wantedAt < permitMs;
  const claim = async (entry: BreakerEntry): Promise<void> => {
    const { breaker, name } = entry;
    if (entry.isAsking || isEnded || !redis.isUp()) return;
    entry.isAsking = true;
    const { openings } = breaker;
    const sentAt = now();
    try {
      const values = [replicaId, permitMs];
      const isOurs = (await redis.run({ script: 'claimProbe', key: keyOf(entry), values })) === 1;
      if (breaker.state === 'closed' || breaker.openings !== openings) {
        send('releaseProbe', entry, [replicaId]);
      } else breaker.mayProbeUntil = isOurs ? sentAt + permitMs : 0;
      if (!isOurs && isWanted(entry)) redis.tell({ kind: 'probe_wanted', name });
    } catch {
      // Redis is down now: the next call probes without asking.
    } finally {
      entry.isAsking = false;
    }
  };
  const handOver = (entry: BreakerEntry): void => {
    const { breaker, name } = entry;
    if (now() >= breaker.mayProbeUntil || !redis.isUp()) return;
    breaker.mayProbeUntil = 0;
    redis.run({ script: 'releaseProbe', key: keyOf(entry), values: [replicaId] }).then(
      () => {
        redis.tell({ kind: 'probe_free', name });
      },
      () => undefined,
    );
  };
  redis.onMessage(({ kind, name }) => {
    if (kind === 'probe_wanted') handOver(entries.of(name));
    if (kind === 'probe_free' && isWanted(entries.of(name))) void claim(entries.of(name));
  });
  return {
    claim,
    end: () => {
      isEnded = true;
    },
  };
}
