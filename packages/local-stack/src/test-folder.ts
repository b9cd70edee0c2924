import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { privateFolderOf } from './postgres-home.ts';
import { startOf } from './processes.ts';

const folderPrefix = 'test-';
/** Caches of other names stand beside them. */
const folderName = /^test-\d+$/;

/** Room for the databases of a whole run, the long tests included, and as much for everybody else. */
const enoughBytes = 8 * 1024 ** 3;

export interface TestFolderPlaces {
  /** On disk; always usable. */
  readonly disk: string;
  /** A file system in memory, if this system has one. */
  readonly memory: string;
  readonly freeBytes?: (folder: string) => number;
}

/**
 * An empty folder for the databases of this run alone, in memory where there is room for them: a run
 * makes and drops some seven hundred databases of five hundred files each, which takes 0.1 s in
 * memory and up to 0.7 s on disk (ext4 without a journal searches past each file that was deleted
 * within the last minute). Folders of runs that were killed go.
 */
export function makeTestFolder(
  checkout: string,
  { disk, memory, freeBytes = freeBytesOf }: TestFolderPlaces = {
    disk: join(checkout, '.cache'),
    memory: '/dev/shm',
  },
): string {
  const inMemory = join(memory, `generation-gateway-${hashOf(checkout)}`);
  for (const base of [disk, inMemory]) removeLeftOver(base);
  const base = isUsable(memory, freeBytes) && openOwn(inMemory) ? inMemory : disk;
  const folder = join(base, `${folderPrefix}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const hashOf = (checkout: string): string =>
  createHash('sha256').update(checkout).digest('hex').slice(0, 12);

const isUsable = (memory: string, freeBytes: (folder: string) => number): boolean =>
  existsSync(memory) && freeBytes(memory) >= enoughBytes;

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, freemem());
}

/** False for one that somebody else put there: everybody may write beside it. */
function openOwn(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    // Read-only, or a file of this name: the disk serves.
    return false;
  }
  const status = lstatSync(folder);
  return status.isDirectory() && status.uid === process.getuid?.();
}

function removeLeftOver(base: string): void {
  if (!existsSync(base)) return;
  for (const name of readdirSync(base).filter((each) => folderName.test(each))) {
    if (startOf(Number(name.slice(folderPrefix.length))) !== undefined) continue;
    for (const left of [join(base, name), privateFolderOf(join(base, name))]) {
      rmSync(left, { recursive: true, force: true });
    }
  }
}
