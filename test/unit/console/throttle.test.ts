import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { atMostEvery } from '../../../services/console/src/gateway/throttle.ts';

describe('what is done at most every two seconds', () => {
  const startedAt: string[] = [];
  let takesMs = 0;
  const ask = atMostEvery<string>(
    2_000,
    (key) => {
      startedAt.push(`${key} ${Date.now() / 1_000}`);
      return new Promise<void>((resolve) => {
        setTimeout(resolve, takesMs);
      });
    },
    (key) => key,
  );
  const pass = (seconds: number): Promise<void> => jest.advanceTimersByTimeAsync(seconds * 1_000);

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    startedAt.length = 0;
    takesMs = 0;
  });
  afterEach(async () => {
    await pass(60);
    jest.useRealTimers();
  });

  it('is done at once, and once more for all that came meanwhile', async () => {
    for (let asked = 0; asked < 100; asked += 1) {
      ask('list');
      await pass(0.05);
    }
    await pass(10);

    expect(startedAt).toEqual(['list 0', 'list 2', 'list 4', 'list 6']);
  });

  it('is done only once where nothing else came', async () => {
    ask('list');
    await pass(10);

    expect(startedAt).toEqual(['list 0']);
  });

  it('waits for one that takes longer', async () => {
    takesMs = 5_000;
    ask('list');
    await pass(1);
    ask('list');
    await pass(20);

    expect(startedAt).toEqual(['list 0', 'list 5']);
  });

  it('is counted for each list by itself', () => {
    ask('one');
    ask('other');

    expect(startedAt).toEqual(['one 0', 'other 0']);
  });
});
