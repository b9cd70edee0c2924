import type { FileRemover, MediaStorage, NamedFile, OwnedStorage, SeenKeys } from '@gateway/media';
import type { Installation, Retention } from '@gateway/store';
import { mayDelete, type SweepFinding } from './judge-sweep.ts';

/** Why a round deleted nothing although it could have. */
export type SweepStop = 'unclaimed' | 'foreign' | 'too_many';

export interface SweptStorage extends SweepFinding {
  /** Files older than `afterMs` whose task this database does not know. */
  readonly unknown: number;
}

export interface SweepStoragePorts
  extends
    Pick<Retention, 'findOrphans'>,
    Pick<Installation, 'sweepAllowance'>,
    Pick<MediaStorage, 'list' | 'sweepUnfinished'>,
    Pick<OwnedStorage, 'checkOwner'> {
  readonly removeFile: FileRemover['remove'];
  readonly newSeenKeys: () => SeenKeys;
  /** Files that rows name and that are not there. */
  readonly findMissing: (seen: SeenKeys) => Promise<NamedFile[]>;
  readonly onMissing: (files: readonly NamedFile[]) => void;
  readonly onRemoved: (kind: 'orphan' | 'unfinished', count: number) => void;
  readonly onRound: (found: SweptStorage, stop: SweepStop | undefined) => void;
  readonly now: () => number;
  readonly limits: SweepStorageLimits;
}

export interface SweepStorageLimits {
  readonly afterMs: number;
  /** Of a file whose task this database does not know. */
  readonly unknownAfterMs: number;
  readonly maxPercent: number;
  /** Of one round. */
  readonly maxFiles: number;
}

/** Where files of tasks lie. */
const sweptFolders = ['videos', 'frames', 'inputs'] as const;
/** Rows come before these files, and go after them: none is left without one. */
const assetFolder = 'assets';
const pageSize = 500;

/**
 * Removes what crashes have left in the storage: half-finished copies, and files whose row was
 * never written. Only old files are looked at (a row may still be on its way), and only those that
 * no row names or ever will are removed. The whole storage is looked at before anything is removed:
 * where that would be more than crashes leave, nothing is, and somebody has to look. Safe on
 * several replicas at once. What was listed is then compared with the rows the other way round.
 */
export function createSweepStorage(ports: SweepStoragePorts): () => Promise<void> {
  const { checkOwner, newSeenKeys, findMissing, onMissing, onRound } = ports;
  return async () => {
    const owner = await checkOwner();
    const seen = newSeenKeys();
    const { keys, ...found } = await search(seen, ports);
    const stop = owner.kind === 'ours' ? await remove({ keys, ...found }, ports) : owner.kind;
    onRound(found, stop);
    onMissing(await findMissing(seen));
  };
}

interface Found extends SweptStorage {
  /** At most `maxFiles` of those that are due. */
  readonly keys: readonly string[];
}

/** Why nothing was removed, if so. */
async function remove(
  found: Found,
  ports: SweepStoragePorts,
): Promise<Extract<SweepStop, 'too_many'> | undefined> {
  const { sweepUnfinished, sweepAllowance, onRemoved, limits, now } = ports;
  onRemoved('unfinished', await sweepUnfinished(new Date(now() - limits.afterMs)));
  const { files: allowedFiles = 0 } = (await sweepAllowance()) ?? {};
  if (!mayDelete(found, { ...limits, allowedFiles })) return 'too_many';
  onRemoved('orphan', await removeAll(found.keys, ports));
  return undefined;
}

async function search(
  seen: SeenKeys,
  { list, findOrphans, now, limits }: SweepStoragePorts,
): Promise<Found> {
  const before = now() - limits.afterMs;
  const unknownBefore = now() - limits.unknownAfterMs;
  const keys: string[] = [];
  const counts = { files: 0, due: 0, unknown: 0 };
  const judge = async (page: ReadonlyMap<string, number>): Promise<void> => {
    const orphans = page.size === 0 ? [] : await findOrphans([...page.keys()]);
    for (const { key, isOfKnownTask } of orphans) {
      if (!isOfKnownTask) counts.unknown += 1;
      if (!isOfKnownTask && (page.get(key) ?? Infinity) >= unknownBefore) continue;
      counts.due += 1;
      if (keys.length < limits.maxFiles) keys.push(key);
    }
  };
  for (const folder of sweptFolders) {
    let page = new Map<string, number>();
    for await (const { key, modifiedAt } of list(folder)) {
      counts.files += 1;
      seen.add(key);
      if (modifiedAt.getTime() < before) page.set(key, modifiedAt.getTime());
      if (page.size < pageSize) continue;
      await judge(page);
      page = new Map();
    }
    await judge(page);
  }
  for await (const { key } of list(assetFolder)) seen.add(key);
  return { ...counts, keys };
}

async function removeAll(
  keys: readonly string[],
  { removeFile }: Pick<SweepStoragePorts, 'removeFile'>,
): Promise<number> {
  let removed = 0;
  for (const key of keys) {
    const removal = await removeFile(key);
    if (removal === 'gone') removed += 1;
    if (removal === 'paused') break;
  }
  return removed;
}
