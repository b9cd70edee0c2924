import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { simulate } from './simulate.ts';

const file = path.join(import.meta.dirname, 'hashes.json');

/** Of the stories of a few worlds, by seed: every machine and every Node tells the same ones. */
export const recordedHashes = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

/** What the same worlds tell now, by this Node. */
export async function presentHashes(): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const seed of Object.keys(recordedHashes())) {
    hashes[seed] = (await simulate({ seed: Number(seed) })).hash;
  }
  return hashes;
}

/** Writes them down. */
export async function acceptHashes(): Promise<void> {
  writeFileSync(file, `${JSON.stringify(await presentHashes(), undefined, 2)}\n`);
}
