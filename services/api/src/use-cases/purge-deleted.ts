import type { MediaStorage } from '@gateway/media';
import type { TaskEndings } from '@gateway/store';

export interface PurgeDeletedPorts extends Pick<TaskEndings, 'findDeleted' | 'forget'> {
  /** Succeeds also when there is no such file. */
  readonly deleteFile: MediaStorage['delete'];
}

const batch = 500;

/**
 * Finishes deletions: of one task, or of all that a crash has left. Files go first: a row without
 * files is found here again, and files without a row would be found by nobody. Safe on several
 * replicas at once.
 */
export function createPurgeDeleted({
  findDeleted,
  deleteFile,
  forget,
}: PurgeDeletedPorts): (taskId?: string) => Promise<void> {
  return async (taskId) => {
    const failures: unknown[] = [];
    for (const { taskId: id, storageKeys } of await findDeleted({
      limit: batch,
      ...(taskId !== undefined && { taskId }),
    })) {
      await Promise.all(storageKeys.map(deleteFile))
        .then(() => forget(id))
        .catch((error: unknown) => failures.push(error));
    }
    // One task whose files cannot be removed must not keep the others waiting, nor go unnoticed.
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} deleted tasks could not be removed`);
    }
  };
}
