import { renameSync, writeFileSync } from 'node:fs';

/**
 * Writes JSON that only its owner can read, in one step: a reader sees the old file or the new one.
 */
export function writePrivateJson(path: string, value: unknown): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
