import type { UsageRecord } from '@gateway/contracts';
import type { Producer } from '@gateway/queue';
import type { Log, Part, Registry } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';
import { createOpenUsage } from './open-usage.ts';
import { createUsageRecorder } from './usage-recorder.ts';

export interface TextMeteringOptions {
  readonly outbox: Pick<UsageOutbox, 'keepOpen' | 'save'>;
  readonly wake: Producer['wake'];
  /** Whose the open records are. */
  readonly replicaId: string;
  readonly metrics: Registry;
  readonly log: Log;
}

/** Where the text lane leaves what its requests used. Neither call throws or waits. */
export interface TextMetering {
  /** Takes what changed in the usage of requests that still run. */
  keepOpen(changed: readonly UsageRecord[]): void;
  /** Takes the usage of a request that has ended. */
  record(usage: UsageRecord): void;
  readonly part: Part;
}

/**
 * Final records go through the open ones, so that the statement that saves a final record also
 * deletes the open one.
 */
export function createTextMetering({
  outbox,
  wake,
  replicaId,
  metrics,
  log,
}: TextMeteringOptions): TextMetering {
  const openUsage = createOpenUsage({
    keepOpen: (records) => outbox.keepOpen({ replica: replicaId, records }),
    save: outbox.save,
    log,
  });
  const recorder = createUsageRecorder({
    save: openUsage.save,
    wake: (batchId) => wake('metering.apply', batchId, { requestId: batchId }),
    log,
    metrics,
  });
  return {
    keepOpen: openUsage.keep,
    record(usage) {
      openUsage.end(usage.id);
      recorder.record(usage);
    },
    part: recorder.part,
  };
}
