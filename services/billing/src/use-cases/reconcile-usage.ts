export interface ReconcileUsagePorts {
  readonly findUnapplied: (limit: number) => Promise<string[]>;
  readonly applyUsage: (batchId: string) => Promise<void>;
}

const batches = 500;

/** What a crash or a lost wake-up left in the outbox, oldest first. */
export function createReconcileUsage({ findUnapplied, applyUsage }: ReconcileUsagePorts): () => Promise<void> {
  return async () => {
    const failures: unknown[] = [];
    for (const batchId of await findUnapplied(batches)) await applyUsage(batchId).catch((error: unknown) => failures.push(error));
    // One batch that cannot be taken must not keep the others waiting, nor go unnoticed.
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} batches of text usage could not be taken`);
  };
}
