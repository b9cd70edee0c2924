import { reached } from '@gateway/runtime';

/** What taking a batch did; undefined when somebody else had taken it. */
interface Applied {
  readonly records: number;
  readonly uncollectedQuota: number;
}

export interface ApplyUsagePorts {
  /** Takes a batch from the outbox, stores its records and charges for them, in one statement. */
  readonly apply: (batchId: string) => Promise<Applied | undefined>;
  readonly onApplied: (applied: Applied) => void;
}

/**
 * Charges for a batch of text usage. Idempotent: a redelivered job or a second replica finds no
 * such batch and changes nothing.
 */
export function createApplyUsage({
  apply,
  onApplied,
}: ApplyUsagePorts): (batchId: string) => Promise<void> {
  return async (batchId) => {
    reached('metering.due', batchId);
    const applied = await apply(batchId);
    if (applied === undefined) return;
    reached('metering.applied', batchId);
    onApplied(applied);
  };
}
