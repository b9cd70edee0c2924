import type { Metering } from '@gateway/store';

export interface ReconcileUsagePorts extends Pick<Metering, 'findUnapplied'> {
  /** Moves what dead replicas left open into the outbox. */
  readonly recoverUsage: () => Promise<void>;
  readonly applyUsage: (batchId: string) => Promise<void>;
  /** Takes back the leases of dead replicas, and collects debts. */
  readonly takeBackLeases: () => Promise<void>;
}

const batches = 500;

/**
 * What a crash or a lost wake-up left open or in the outbox, oldest first; then the leases that it
 * was charged to.
 */
export function createReconcileUsage({
  recoverUsage,
  findUnapplied,
  applyUsage,
  takeBackLeases,
}: ReconcileUsagePorts): () => Promise<void> {
  return async () => {
    const failures: unknown[] = [];
    await recoverUsage().catch((error: unknown) => failures.push(error));
    for (const batchId of await findUnapplied(batches)) {
      await applyUsage(batchId).catch((error: unknown) => failures.push(error));
    }
    await takeBackLeases().catch((error: unknown) => failures.push(error));
    // What cannot be taken must not keep the rest waiting, nor go unnoticed.
    if (failures.length > 0) {
      throw new AggregateError(
        failures,
        `text usage could not be taken in ${failures.length} places`,
      );
    }
  };
}
