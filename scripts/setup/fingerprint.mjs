import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const notSources = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache', '.data']);
const sourcePattern = /\.(?:ts|tsx|mts|mjs|json|css|html|svg)$/;

/** The content of files as one hash; a missing file counts as empty. */
export function hashOf(...paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update('\0').update(existsSync(path) ? readFileSync(path) : '');
  return hash.digest('hex');
}

/**
 * Names, times and sizes of the sources of compiler and bundler below some folders as one hash: much faster than
 * asking the compiler.
 */
export function fingerprintOf(folders) {
  const hash = createHash('sha256');
  for (const folder of folders) addFolder(hash, folder);
  return hash.digest('hex');
}

function addFolder(hash, folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !notSources.has(entry.name)) addFolder(hash, path);
    if (entry.isFile() && sourcePattern.test(entry.name)) {
      const { mtimeMs, size } = statSync(path);
      hash.update(`${path}\0${mtimeMs}\0${size}\0`);
    }
  }
}

export function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

export function writeStamp(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
