import { describe, expect, it } from '@jest/globals';
import { share } from '@gateway/runtime';

describe('a shared computation', () => {
  it('is made once for all who ask at once and shortly after, then again', async () => {
    let now = 0;
    let reads = 0;
    const read = share(() => Promise.resolve((reads += 1)), { freshMs: 10, now: () => now });

    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now = 9;
    expect(await read()).toBe(1);
    now = 10;
    expect(await read()).toBe(2);
  });

  it('that failed is made again for the next who asks', async () => {
    let reads = 0;
    const read = share(
      () => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(reads);
      },
      { freshMs: 10, now: () => 0 },
    );

    await expect(read()).rejects.toThrow('away');
    expect(await read()).toBe(2);
  });
});
