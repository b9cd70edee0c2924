import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Files that outlive the process; each is there whole, or not at all. */
export interface SpoolFiles {
  /** Rejects, in words for an operator, where nothing can be written. */
  open(): Promise<void>;
  names(): Promise<string[]>;
  /** Undefined: it is gone. */
  read(name: string): Promise<string | undefined>;
  /** Resolves once the file would survive a loss of power. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Where somebody can look at it. */
  placeOf(name: string): string;
}

/** A folder of this machine. */
export const openSpoolFolder = (folder: string): SpoolFiles => ({
  async open() {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
    } catch (error) {
      throw new Error(
        `USAGE_SPOOL_DIR ${folder} cannot be written (${codeOf(error) ?? 'unknown error'}): name a folder that the api may write to, or leave it out.`,
        { cause: error },
      );
    }
  },
  names: () => readdir(folder),
  async read(name) {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },
  write: (name, text) => writeWhole(folder, name, text),
  remove: (name) => rm(path.join(folder, name), { force: true }),
  placeOf: (name) => path.join(folder, name),
});

async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const whole = path.join(folder, name);
  const partly = `${whole}.${process.pid}.tmp`;
  const file = await open(partly, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partly, whole);
  const entries = await open(folder, 'r');
  try {
    await entries.sync();
  } finally {
    await entries.close();
  }
}

const codeOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null)?.code;
