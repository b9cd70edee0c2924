interface PurgedFile {
  readonly taskId: string;
  readonly variant: 'content' | 'last-frame';
  readonly storageKey: string;
}

export interface PurgeMediaPorts {
  /** Takes the media of at most so many tasks out of service; answers the tasks. */
  readonly purgeDue: (limit: number) => Promise<readonly string[]>;
  readonly findPurged: (limit: number) => Promise<readonly PurgedFile[]>;
  /** Succeeds also when there is no such file. */
  readonly deleteFile: (storageKey: string) => Promise<void>;
  readonly noteRemoved: (file: PurgedFile) => Promise<void>;
  readonly onPurged: (tasks: number) => void;
}

export const purgeBatch = 500;
/** A storage that refuses one deletion often refuses them all: the next round tries again. */
const mostFailures = 20;

/**
 * Ends the retention time of media: out of service first, then the file, then the note that it is gone. In that order a
 * crash leaves a file that the next round finds, and never an address that is shown and leads nowhere. Safe on several replicas at once.
 */
export function createPurgeMedia({ purgeDue, findPurged, deleteFile, noteRemoved, onPurged }: PurgeMediaPorts): () => Promise<void> {
  const remove = async (file: PurgedFile): Promise<void> => {
    await deleteFile(file.storageKey);
    await noteRemoved(file);
  };
  return async () => {
    for (;;) {
      const tasks = await purgeDue(purgeBatch);
      onPurged(tasks.length);
      const files = await findPurged(purgeBatch);
      const failures = await failuresOf(files, remove);
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} or more files could not be removed after their retention time`);
      if (tasks.length < purgeBatch && files.length < purgeBatch) return;
    }
  };
}

async function failuresOf(files: readonly PurgedFile[], remove: (file: PurgedFile) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const file of files) {
    await remove(file).catch((error: unknown) => failures.push(error));
    if (failures.length >= mostFailures) break;
  }
  return failures;
}
