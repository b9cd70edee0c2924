import type { Redis } from 'ioredis';
import type { Outage } from './outage.ts';

export interface ConnectionWatch {
  /** Something failed for this reason. */
  down(error: unknown): void;
  end(): void;
}

/**
 * A Redis that fails this many probes in a row is dialled anew: its connection may be half open.
 */
const probesBeforeRedial = 3;
const probeEveryMs = 1_000;

export interface WatchOptions {
  readonly outage: Outage;
  readonly tryOut: () => Promise<unknown>;
  readonly cameUp: () => void;
}

/**
 * Redis is down after any failure, and up when it can run a script that writes: a connection alone
 * proves nothing.
 */
export function watchConnection(
  redis: Redis,
  { outage, tryOut, cameUp }: WatchOptions,
): ConnectionWatch {
  let isEnded = false;
  let probing: NodeJS.Timeout | undefined;
  const probeLater = (failedProbes: number): void => {
    clearTimeout(probing);
    probing = setTimeout(probe, probeEveryMs, failedProbes).unref();
  };
  const down = (error: unknown): void => {
    if (isEnded) return;
    outage.begin(reasonOf(error));
    if (probing === undefined) probeLater(0);
  };
  const probe = (failedProbes: number): void => {
    clearTimeout(probing);
    probing = undefined;
    if (isEnded || redis.status !== 'ready') return; // called again when it is
    tryOut().then(
      () => {
        if (!isEnded && outage.end()) cameUp();
      },
      (error: unknown) => {
        if (isEnded) return;
        outage.begin(reasonOf(error));
        probeLater(failedProbes + 1);
        if (failedProbes + 1 >= probesBeforeRedial) redis.disconnect(true);
      },
    );
  };
  redis.on('ready', () => {
    probe(0);
  });
  redis.on('error', down);
  redis.on('close', () => {
    down({ message: 'the connection was closed' });
  });
  return {
    down,
    end() {
      isEnded = true;
      clearTimeout(probing);
      outage.close();
    },
  };
}

/** The error of a refused connection is an AggregateError without a message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return [message, code].find((text) => text !== undefined && text !== '') ?? 'no reason given';
}
