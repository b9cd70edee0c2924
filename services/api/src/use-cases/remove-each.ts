import type { FileRemover, Removal } from '@gateway/media';

/** A row that is deleted, and the files that go before it. */
export interface Removable {
  readonly id: string;
  readonly storageKeys: readonly string[];
}

export interface RemoveEachPorts {
  /** At most `limit` rows in the order of their ids, those that follow `after`. */
  readonly find: (page: {
    readonly limit: number;
    readonly after: string | undefined;
  }) => Promise<readonly Removable[]>;
  readonly removeFile: FileRemover['remove'];
  readonly forget: (id: string) => Promise<void>;
  /** Of what is removed, in the plural. */
  readonly name: string;
}

const batch = 500;

/**
 * Removes the files of one row after the other, and each row once its files are gone. A file that
 * cannot be deleted keeps its row, and no other waiting; when the storage refuses everything, the
 * next round goes on. Throws an AggregateError at the end for rows that could not be removed.
 */
export async function removeEach({
  find,
  removeFile,
  forget,
  name,
}: RemoveEachPorts): Promise<void> {
  const failures: unknown[] = [];
  const removals = new Set<Removal>();
  const remove = async ({ id, storageKeys }: Removable): Promise<void> => {
    const ofRow = await Promise.all(storageKeys.map(removeFile));
    if (ofRow.every((removal) => removal === 'gone')) await forget(id);
    for (const removal of ofRow) removals.add(removal);
  };
  let after: string | undefined;
  do {
    const page = await find({ limit: batch, after });
    for (const removable of page) {
      await remove(removable).catch((error: unknown) => failures.push(error));
    }
    after = page.length < batch ? undefined : page.at(-1)?.id;
  } while (after !== undefined && !removals.has('paused'));
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} ${name} could not be removed`);
  }
}
