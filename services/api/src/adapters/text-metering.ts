import type { UsageRecord } from '@gateway/contracts';
import type { Producer } from '@gateway/queue';
import type { Log, Part, Registry } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';
import { createOpenUsage } from './open-usage.ts';
import type { SpoolFiles } from './spool-folder.ts';
import { createUsageRecorder } from './usage-recorder.ts';
import { createUsageSpool } from './usage-spool.ts';

export interface TextMeteringOptions {
  readonly outbox: UsageOutbox;
  readonly wake: Producer['wake'];
  /** Where usage goes that the database does not take; see `createUsageSpool`. */
  readonly spoolFiles?: SpoolFiles | undefined;
  /** Whose the open records are. */
  readonly replicaId: string;
  readonly metrics: Registry;
  readonly log: Log;
  /** How long a stop may take to save what is left. */
  readonly stopWithinMs?: number | undefined;
}

/** Where the text lane leaves what its requests used. Neither call throws or waits. */
export interface TextMetering {
  /** Takes what changed in the usage of requests that still run. */
  keepOpen(changed: readonly UsageRecord[]): void;
  /** Takes the usage of a request that has ended. */
  record(usage: UsageRecord): void;
  readonly parts: readonly Part[];
}

/**
 * Final records go through the open ones, so that the statement that saves a final record also
 * deletes the open one.
 */
export function createTextMetering({
  outbox,
  wake,
  spoolFiles,
  replicaId,
  metrics,
  log,
  stopWithinMs,
}: TextMeteringOptions): TextMetering {
  const openUsage = createOpenUsage({
    keepOpen: (records) => outbox.keepOpen({ replica: replicaId, records }),
    save: outbox.save,
    findOpen: outbox.findOpen,
    log,
  });
  const wakeFor = (batchId: string): unknown =>
    wake('metering.apply', batchId, { requestId: batchId });
  const spool =
    spoolFiles === undefined
      ? undefined
      : createUsageSpool({ files: spoolFiles, save: openUsage.save, wake: wakeFor, log });
  const recorder = createUsageRecorder({
    save: openUsage.save,
    wake: wakeFor,
    spool,
    log,
    metrics,
    ...(stopWithinMs !== undefined && { stopWithinMs }),
  });
  return {
    keepOpen: openUsage.keep,
    record(usage) {
      openUsage.end(usage.id);
      recorder.record(usage);
    },
    parts: [...(spool === undefined ? [] : [spool.part]), recorder.part],
  };
}
