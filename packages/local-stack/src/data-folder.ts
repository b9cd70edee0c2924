import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, LocalStackError } from './local-stack-error.ts';
import { startOf } from './processes.ts';

interface Holder {
  readonly pid: number;
  readonly started: string;
}

/** Makes the data folder and takes it for this process. Gives back the function that frees it. */
export function takeDataFolder(dataDir: string): () => void {
  const lock = join(dataDir, 'running.json');
  const holder: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  try {
    mkdirSync(dataDir, { recursive: true });
    if (!tryToTake(lock, holder)) {
      const other = readHolder(lock);
      if (other !== undefined && startOf(other.pid) === other.started) {
        throw new LocalStackError(
          'already_running',
          `Process ${other.pid} already runs on ${dataDir}: stop it, or set DATA_DIR to another folder.`,
        );
      }
      rmSync(lock, { force: true });
      tryToTake(lock, holder);
    }
  } catch (error) {
    if (LocalStackError.is(error)) throw error;
    throw new LocalStackError(
      'folder_not_usable',
      `The data folder ${dataDir} cannot be written (${codeOf(error) ?? 'unknown error'}): set DATA_DIR to a folder that you own.`,
      error,
    );
  }
  return () => {
    rmSync(lock, { force: true });
  };
}

function tryToTake(lock: string, holder: Holder): boolean {
  try {
    writeFileSync(lock, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when the holder died while writing. */
function readHolder(lock: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
