import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './exit-codes.ts';

/** The hash of what a file holds, in hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw unreadable(file, error);
  }
  return hash.digest('hex');
}

/** Why a file that the command line names cannot be read. */
export function unreadable(file: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(
    code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}`,
    { cause: error },
  );
}

/**
 * Writes a file that only its owner reads, so that whoever reads it finds all of it or what was
 * there before, and it survives a power cut.
 */
export const writeWhole = (file: string, text: string): Promise<void> =>
  withDraft(file, text, (draft) => rename(draft, file));

/** The same where there is no such file yet; false where there is. */
export const writeNew = (file: string, text: string): Promise<boolean> =>
  withDraft(file, text, async (draft) => {
    try {
      await link(draft, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });

async function withDraft<Result>(
  file: string,
  text: string,
  publish: (draft: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return await publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
}
