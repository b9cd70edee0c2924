import type { FileRemover } from '@gateway/media';
import type { PurgedFile, Retention } from '@gateway/store';

export interface PurgeMediaPorts extends Pick<
  Retention,
  'purgeDue' | 'findPurged' | 'noteRemoved'
> {
  readonly removeFile: FileRemover['remove'];
  readonly onPurged: (tasks: number) => void;
}

export const purgeBatch = 500;

/**
 * Ends the retention time of media: out of service first, then the file, then the note that it is
 * gone. In that order a crash leaves a file that the next round finds, and never an address that is
 * shown and leads nowhere. A file that cannot be removed holds no other back. Safe on several
 * replicas at once.
 */
export function createPurgeMedia({
  purgeDue,
  findPurged,
  removeFile,
  noteRemoved,
  onPurged,
}: PurgeMediaPorts): () => Promise<void> {
  /** False when the storage refuses everything: the next round goes on there. */
  const removePage = async (files: readonly PurgedFile[]): Promise<boolean> => {
    for (const file of files) {
      const removal = await removeFile(file.storageKey);
      if (removal === 'paused') return false;
      if (removal === 'gone') await noteRemoved(file);
    }
    return true;
  };
  return async () => {
    let after: PurgedFile | undefined;
    let takesDeletions = true;
    for (;;) {
      const tasks = await purgeDue(purgeBatch);
      onPurged(tasks.length);
      const files: readonly PurgedFile[] = takesDeletions
        ? await findPurged({ limit: purgeBatch, after })
        : [];
      takesDeletions &&= await removePage(files);
      after = files.at(-1) ?? after;
      if (tasks.length < purgeBatch && files.length < purgeBatch) return;
    }
  };
}
