interface Removable {
  readonly assetId: string;
  readonly storageKey: string;
}

export interface PurgeAssetsPorts {
  readonly findRemovable: (options: {
    readonly limit: number;
    readonly assetId?: string;
  }) => Promise<readonly Removable[]>;
  /** Succeeds also when there is no such file. */
  readonly deleteFile: (storageKey: string) => Promise<void>;
  readonly forget: (assetId: string) => Promise<void>;
}

const batch = 500;

/**
 * Removes deleted assets that no live task uses: one, or all there are. Files go first, so that
 * none is left without a row.
 */
export function createPurgeAssets({
  findRemovable,
  deleteFile,
  forget,
}: PurgeAssetsPorts): (assetId?: string) => Promise<void> {
  return async (assetId) => {
    const failures: unknown[] = [];
    for (const { assetId: id, storageKey } of await findRemovable({
      limit: batch,
      ...(assetId !== undefined && { assetId }),
    })) {
      await deleteFile(storageKey)
        .then(() => forget(id))
        .catch((error: unknown) => failures.push(error));
    }
    // One file that cannot be removed must not keep the others waiting, nor go unnoticed.
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} deleted assets could not be removed`);
    }
  };
}
