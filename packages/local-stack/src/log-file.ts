import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

const rotateAtBytes = 20_000_000;
const tailLines = 15;

/**
 * Opens a log for appending, gives its descriptor to `use`, and closes it. A child keeps its own
 * copy.
 */
export function withLogFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes the folder, puts a log that has grown large aside as `….1`, and returns how long the log is
 * now, in bytes.
 */
export function prepareLogFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) return 0;
  const { size } = statSync(path);
  if (size < rotateAtBytes) return size;
  renameSync(path, `${path}.1`);
  return 0;
}

/** The last lines that were written after `fromByte`, indented, for an error message. */
export function tailOf(path: string, fromByte: number): string {
  const text = existsSync(path)
    ? readFileSync(path).subarray(fromByte).toString('utf8').trim()
    : '';
  if (text === '') return '    (nothing was logged)';
  return text
    .split('\n')
    .slice(-tailLines)
    .map((line) => `    ${line}`)
    .join('\n');
}
