import type { FileRemover } from '@gateway/media';
import type { TaskEndings } from '@gateway/store';
import { removeEach } from './remove-each.ts';

export interface PurgeDeletedPorts extends Pick<TaskEndings, 'findDeleted' | 'forget'> {
  readonly removeFile: FileRemover['remove'];
}

/**
 * Finishes deletions: of one task, or of all that a crash has left. Files go first: a row without
 * files is found here again, and files without a row would be found by nobody. Safe on several
 * replicas at once.
 */
export const createPurgeDeleted =
  ({ findDeleted, removeFile, forget }: PurgeDeletedPorts): ((taskId?: string) => Promise<void>) =>
  (taskId) =>
    removeEach({
      find: async (page) =>
        (await findDeleted({ ...page, ...(taskId !== undefined && { taskId }) })).map(
          ({ taskId: id, storageKeys }) => ({ id, storageKeys }),
        ),
      removeFile,
      forget,
      name: 'deleted tasks',
    });
