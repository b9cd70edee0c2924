import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTestFolder } from '../../../packages/local-stack/src/test-folder.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'test-folder-'));
  for (const name of ['disk', 'memory']) mkdirSync(path.join(root, name));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const places = (freeBytes: number) => ({
  disk: path.join(root, 'disk'),
  memory: path.join(root, 'memory'),
  freeBytes: () => freeBytes,
});
const own = `test-${process.pid}`;
const plenty = 64 * 1024 ** 3;

describe('the folder of a test run', () => {
  it('is in memory where there is room, apart for each checkout', () => {
    const folders = ['one', 'other'].map((name) =>
      makeTestFolder(`/checkout/${name}`, places(plenty)),
    );

    for (const folder of folders) {
      expect(folder.startsWith(path.join(root, 'memory', 'generation-gateway-'))).toBe(true);
      expect(path.basename(folder)).toBe(own);
      expect(existsSync(folder)).toBe(true);
    }
    expect(new Set(folders).size).toBe(2);
  });

  it.each([
    ['there is too little room', () => places(1024 ** 3)],
    [
      'there is no such file system',
      () => ({ ...places(plenty), memory: path.join(root, 'none') }),
    ],
    [
      'it cannot be made there',
      () => {
        const file = path.join(root, 'file');
        writeFileSync(file, '');
        return { ...places(plenty), memory: file };
      },
    ],
  ])('is on disk when %s', (_why, chosen) => {
    expect(makeTestFolder('/checkout', chosen())).toBe(path.join(root, 'disk', own));
  });

  it('goes, on disk and in memory, when its run was killed, and stays while it runs; so do caches', () => {
    const [disk, memory] = [places(0), places(plenty)].map((each) =>
      path.dirname(makeTestFolder('/checkout', each)),
    ) as [string, string];
    // No process has this number: the kernel gives none above 2^22.
    const left = [disk, memory].map((base) => path.join(base, 'test-4999999'));
    const caches = [disk, memory].map((base) => path.join(base, 'test-sources'));
    for (const folder of [...left, ...caches]) mkdirSync(folder);

    makeTestFolder('/checkout', places(plenty));

    expect(left.map((folder) => existsSync(folder))).toEqual([false, false]);
    expect(caches.map((folder) => existsSync(folder))).toEqual([true, true]);
    expect([disk, memory].map((base) => existsSync(path.join(base, own)))).toEqual([true, true]);
  });
});
