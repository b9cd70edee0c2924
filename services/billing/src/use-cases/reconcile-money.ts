export interface ReconcileMoneyPorts {
  readonly findUnsettled: (limit: number) => Promise<string[]>;
  readonly settle: (taskId: string) => Promise<void>;
  readonly releaseOrphans: () => Promise<string[]>;
  readonly onOrphan: (taskId: string) => void;
}

const batch = 500;

/** What a crash or a lost wake-up left behind: terminal tasks with an open hold, and holds whose task was never created. */
export function createReconcileMoney({ findUnsettled, settle, releaseOrphans, onOrphan }: ReconcileMoneyPorts): () => Promise<void> {
  return async () => {
    for (const taskId of await findUnsettled(batch)) await settle(taskId);
    for (const taskId of await releaseOrphans()) onOrphan(taskId);
  };
}
