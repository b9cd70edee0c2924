import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  forgetSlab,
  giveSlabBack,
  isSlab,
  takeSlab,
} from '../../../../services/api/src/bodies/slabs.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const taken: ArrayBuffer[] = [];
afterEach(() => {
  taken.splice(0).forEach(giveSlabBack);
});

function take(sizeBytes: number): ArrayBuffer {
  const slab = takeSlab(sizeBytes);
  if (slab === undefined) throw new Error('there is none');
  taken.push(slab);
  return slab;
}

describe('memory of large bodies', () => {
  it('is used again by the next body of about its size', () => {
    const first = take(1_000_000);
    expect(first.byteLength).toBeGreaterThanOrEqual(1_000_000);
    expect(isSlab(first)).toBe(true);

    giveSlabBack(first);
    expect(isSlab(first)).toBe(false);

    expect(take(300_000)).not.toBe(first);
    expect(take(900_000)).toBe(first);
    expect(take(900_000)).not.toBe(first);
  });

  it('is nobody else’s as long as it is in use, however often it was given back before', () => {
    const slab = take(200_000);
    giveSlabBack(slab);
    giveSlabBack(slab);

    expect(take(200_000)).not.toBe(take(200_000));
  });

  it('is not used again when a socket may still be writing it', () => {
    const slab = take(200_000);
    forgetSlab(slab);
    giveSlabBack(slab);

    expect(isSlab(slab)).toBe(false);
    for (let count = 0; count < 8; count += 1) expect(take(200_000)).not.toBe(slab);
  });

  it('is no more than a bound, and none for what is larger than most', () => {
    // Files that ran before in this process may have left some in use.
    const all = [...takeAll(4_000_000), ...takeAll(100_000)];

    expect(all.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(
      67_108_864,
    );
    expect(takeSlab(200_000)).toBeUndefined();
    expect(takeSlab(8_388_609)).toBeUndefined();
  });

  it('counts no longer where nobody gave it back and nobody has it', async () => {
    takeAll(4_000_000);
    expect(takeSlab(4_000_000)).toBeUndefined();
    taken.length = 0;

    await eventually(() => {
      collectGarbage();
      expect(takeAll(4_000_000)).toHaveLength(16);
    });
  });

  it('makes way for memory of another size', () => {
    takeAll(4_000_000).forEach(giveSlabBack);

    expect(take(200_000).byteLength).toBe(262_144);
  });
});

function takeAll(sizeBytes: number): readonly ArrayBuffer[] {
  const all: ArrayBuffer[] = [];
  for (let slab = takeSlab(sizeBytes); slab !== undefined; slab = takeSlab(sizeBytes)) {
    all.push(slab);
  }
  taken.push(...all);
  return all;
}
