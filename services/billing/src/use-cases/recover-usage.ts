/** A batch that was made of what a replica left open. */
interface Recovered {
  readonly batchId: string;
  readonly records: number;
}

export interface RecoverUsagePorts {
  readonly newBatchId: () => string;
  /** Moves abandoned records into the outbox as one batch; returns how many. */
  readonly recover: (options: { batchId: string; limit: number }) => Promise<number>;
  /** Forgets what says nothing any more. */
  readonly purge: () => Promise<void>;
  readonly onRecovered: (recovered: Recovered) => void;
}

const recordsPerBatch = 500;

/**
 * Usage of requests whose replica was killed. Safe when two run, and when the replica turns out to
 * live: the books take a record once.
 */
export function createRecoverUsage({
  newBatchId,
  recover,
  purge,
  onRecovered,
}: RecoverUsagePorts): () => Promise<void> {
  return async () => {
    let records: number;
    do {
      const batchId = newBatchId();
      records = await recover({ batchId, limit: recordsPerBatch });
      if (records > 0) onRecovered({ batchId, records });
    } while (records === recordsPerBatch);
    await purge();
  };
}
