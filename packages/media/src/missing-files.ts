import { createHash, randomBytes } from 'node:crypto';
import type { MediaStorage } from './storage.ts';

/** A file that a row names. */
export interface NamedFile {
  /** Of the task or the asset. */
  readonly id: string;
  readonly key: string;
}

export interface NamedFiles {
  /** Every file that is served, page by page. */
  pages(): AsyncIterable<readonly NamedFile[]>;
  /** Those of the files whose rows are still as they were. */
  stillNamed(files: readonly NamedFile[]): Promise<NamedFile[]>;
}

/** Keys that were listed, in memory of a fixed size: it may take one for listed that was not. */
export interface SeenKeys {
  add(key: string): void;
  mayHave(key: string): boolean;
}

/** 8 MiB: of ten million files, two in a thousand would be overlooked, and others the next time. */
const bits = 2 ** 26;
const bytesOfWord = 4;
const hashes = 4;

/** Salted anew, so that what is overlooked once is found the next time. */
export function createSeenKeys(): SeenKeys {
  const set = new Uint8Array(bits / 8);
  const salt = randomBytes(8);
  const placesOf = (key: string): number[] => {
    const digest = createHash('sha1').update(salt).update(key).digest();
    return Array.from(
      { length: hashes },
      (_unused, index) => digest.readUInt32LE(index * bytesOfWord) % bits,
    );
  };
  return {
    add(key) {
      for (const place of placesOf(key)) {
        set[place >> 3] = (set[place >> 3] ?? 0) | (1 << (place & 7));
      }
    },
    mayHave: (key) =>
      placesOf(key).every((place) => ((set[place >> 3] ?? 0) & (1 << (place & 7))) !== 0),
  };
}

/** More need not be known to see that a storage is not the right one. */
export const mostMissing = 1_000;
/** Of single files, where the list of the storage cannot be trusted. */
const mostAsked = 20_000;
const askedAtOnce = 20;

/**
 * Files that rows name and that are not in the storage, at most a thousand. What was not listed is
 * asked for one by one, because it may have been stored since, and its row is read once more,
 * because it may have been deleted since.
 */
export async function findMissing(
  seen: Pick<SeenKeys, 'mayHave'>,
  { named, exists }: { readonly named: NamedFiles; readonly exists: MediaStorage['exists'] },
): Promise<NamedFile[]> {
  const missing: NamedFile[] = [];
  let asked = 0;
  for await (const page of named.pages()) {
    const unlisted = page.filter(({ key }) => !seen.mayHave(key));
    asked += unlisted.length;
    const absent: NamedFile[] = [];
    for (let at = 0; at < unlisted.length && absent.length < mostMissing; at += askedAtOnce) {
      const some = unlisted.slice(at, at + askedAtOnce);
      const found = await Promise.all(some.map(({ key }) => exists(key)));
      absent.push(...some.filter((_file, index) => found[index] === false));
    }
    if (absent.length > 0) missing.push(...(await named.stillNamed(absent)));
    if (missing.length >= mostMissing || asked >= mostAsked) break;
  }
  return missing.slice(0, mostMissing);
}

/** Every folder in which rows have files. */
export const filedFolders = ['videos', 'frames', 'assets'] as const;
