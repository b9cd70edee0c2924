import { reached } from '@gateway/runtime';
import type { Metering } from '@gateway/store';

type Applied = NonNullable<Awaited<ReturnType<Metering['apply']>>>;

export interface ApplyUsagePorts extends Pick<Metering, 'apply'> {
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
