import type { MediaStorage } from '@gateway/media';
import type { TaskEndings } from '@gateway/store';
import { removeEach } from './remove-each.ts';

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
    const deleted = await findDeleted({ limit: batch, ...(taskId !== undefined && { taskId }) });
    await removeEach(
      deleted,
      async ({ taskId: id, storageKeys }) => {
        await Promise.all(storageKeys.map(deleteFile));
        await forget(id);
      },
      'deleted tasks',
    );
  };
}
