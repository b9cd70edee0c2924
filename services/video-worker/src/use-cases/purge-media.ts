import type { MediaStorage } from '@gateway/media';
import type { PurgedFile, Retention } from '@gateway/store';

export interface PurgeMediaPorts extends Pick<
  Retention,
  'purgeDue' | 'findPurged' | 'noteRemoved'
> {
  readonly deleteFile: MediaStorage['delete'];
  readonly onPurged: (tasks: number) => void;
}

export const purgeBatch = 500;
/**
 * A storage that refuses one deletion often refuses them all: the next round tries again, with the
 * files that follow.
 */
const mostFailures = 20;

/**
 * Ends the retention time of media: out of service first, then the file, then the note that it is
 * gone. In that order a crash leaves a file that the next round finds, and never an address that is
 * shown and leads nowhere. Files that can never be removed hold nothing back: a round goes on where
 * the one before gave up, and begins anew at the end. Safe on several replicas at once.
 */
export function createPurgeMedia({
  purgeDue,
  findPurged,
  deleteFile,
  noteRemoved,
  onPurged,
}: PurgeMediaPorts): () => Promise<void> {
  let after: PurgedFile | undefined;
  const remove = async (file: PurgedFile): Promise<void> => {
    await deleteFile(file.storageKey);
    await noteRemoved(file);
  };
  return async () => {
    for (;;) {
      const tasks = await purgeDue(purgeBatch);
      onPurged(tasks.length);
      const files = await findPurged({ limit: purgeBatch, after });
      const { failures, tried } = await removeEach(files, remove);
      const isAtEnd = files.length < purgeBatch && tried === files.length;
      after = isAtEnd ? undefined : files[tried - 1];
      if (failures.length > 0) {
        throw new AggregateError(
          failures,
          `${failures.length} or more files could not be removed after their retention time`,
        );
      }
      if (tasks.length < purgeBatch && isAtEnd) return;
    }
  };
}

async function removeEach(
  files: readonly PurgedFile[],
  remove: (file: PurgedFile) => Promise<void>,
): Promise<{ failures: readonly unknown[]; tried: number }> {
  const failures: unknown[] = [];
  let tried = 0;
  for (const file of files) {
    tried += 1;
    await remove(file).catch((error: unknown) => failures.push(error));
    if (failures.length >= mostFailures) break;
  }
  return { failures, tried };
}
