import { reached } from '@gateway/runtime';
import type { Holds } from '@gateway/store';

export interface ReconcileMoneyPorts extends Pick<Holds, 'findUnsettled'> {
  readonly settle: (taskId: string) => Promise<void>;
  readonly releaseOrphans: () => Promise<string[]>;
  readonly onOrphan: (taskId: string) => void;
}

const batch = 500;

/**
 * What a crash or a lost wake-up left behind: terminal tasks with an open hold, and holds whose
 * task was never created.
 */
export function createReconcileMoney({
  findUnsettled,
  settle,
  releaseOrphans,
  onOrphan,
}: ReconcileMoneyPorts): () => Promise<void> {
  return async () => {
    const failures: unknown[] = [];
    for (const taskId of await findUnsettled(batch)) {
      await settle(taskId).catch((error: unknown) => failures.push(error));
    }
    const orphans = await releaseOrphans();
    if (orphans.length > 0) reached('hold.orphans-released');
    for (const taskId of orphans) onOrphan(taskId);
    // One task that cannot be settled must not keep the others waiting, nor go unnoticed.
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} finished tasks could not be settled`);
    }
  };
}
