import { Counter, Gauge, type Registry } from '@gateway/runtime';

const notKept = ['too_large', 'account_rate', 'queue_full', 'failed'] as const;
/** Why a response was not kept. */
export type NotKept = (typeof notKept)[number];

export interface StoredResponseMetrics {
  stored(outcome: 'kept' | NotKept, count?: number): void;
  removed(reason: 'expired' | 'account_limit', count: number): void;
}

export function createStoredResponseMetrics(
  registry: Registry,
  waitingBytes: () => number,
): StoredResponseMetrics {
  const waiting = new Gauge({
    name: 'gateway_stored_responses_waiting_bytes',
    help: 'Finished responses that are to be kept and are in memory only.',
    registers: [registry],
    collect: () => {
      waiting.set(waitingBytes());
    },
  });
  const stored = new Counter({
    name: 'gateway_stored_responses_total',
    help: 'Finished responses that were to be kept, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const removed = new Counter({
    name: 'gateway_stored_responses_removed_total',
    help: 'Kept responses removed because of their age or of the limit of their account.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Present from the start: `increase` must see the first one as a step up, not as a new series.
  for (const outcome of ['kept', ...notKept]) stored.inc({ outcome }, 0);
  return {
    stored: (outcome, count = 1) => {
      stored.inc({ outcome }, count);
    },
    removed: (reason, count) => {
      removed.inc({ reason }, count);
    },
  };
}
