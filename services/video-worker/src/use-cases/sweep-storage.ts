import type { MediaStorage } from '@gateway/media';
import type { Retention } from '@gateway/store';

export interface SweepStoragePorts
  extends Pick<Retention, 'findOrphans'>, Pick<MediaStorage, 'list' | 'sweepUnfinished'> {
  readonly deleteFile: MediaStorage['delete'];
  readonly onRemoved: (kind: 'orphan' | 'unfinished', count: number) => void;
  readonly now: () => number;
  readonly olderThanMs: number;
}

/** Where files of tasks lie. What else is in the storage is not looked at. */
const sweptFolders = ['videos', 'frames', 'inputs'] as const;
const pageSize = 500;

/**
 * Removes what crashes have left in the storage: half-finished copies, and files whose row was
 * never written. Only files older than `olderThanMs` are looked at (a row may still be on its way),
 * and only those that no row names or ever will are removed. Safe on several replicas at once.
 */
export function createSweepStorage({
  list,
  findOrphans,
  deleteFile,
  sweepUnfinished,
  onRemoved,
  now,
  olderThanMs,
}: SweepStoragePorts): () => Promise<void> {
  const removeOrphans = async (keys: readonly string[]): Promise<void> => {
    const orphans = keys.length === 0 ? [] : await findOrphans(keys);
    for (const key of orphans) await deleteFile(key);
    onRemoved('orphan', orphans.length);
  };
  return async () => {
    const before = new Date(now() - olderThanMs);
    onRemoved('unfinished', await sweepUnfinished(before));
    for (const folder of sweptFolders) {
      let page: string[] = [];
      for await (const { key, modifiedAt } of list(folder)) {
        if (modifiedAt < before) page.push(key);
        if (page.length < pageSize) continue;
        await removeOrphans(page);
        page = [];
      }
      await removeOrphans(page);
    }
  };
}
