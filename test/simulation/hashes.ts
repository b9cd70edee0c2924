import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { simulate } from './simulate.ts';

const file = path.join(import.meta.dirname, 'hashes.json');

/** Of the stories of a few worlds, by seed: every machine and every Node tells the same ones. */
export const recordedHashes = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

/** Writes down what the same worlds tell now. */
export async function acceptHashes(): Promise<void> {
  const hashes: Record<string, string> = {};
  for (const seed of Object.keys(recordedHashes())) {
    hashes[seed] = (await simulate({ seed: Number(seed) })).hash;
  }
  writeFileSync(file, `${JSON.stringify(hashes, undefined, 2)}\n`);
}
