import { describe, expect, it } from '@jest/globals';
import type { RecordAttempt } from '@gateway/store';
import { recordSafely } from '../../../services/callback-dispatcher/src/adapters/record-safely.ts';

const record = { callbackId: 'video_1', token: 'mine' } as RecordAttempt;

/** Records that fail so many times, with and without the row in the log. */
function records({
  failures,
  unloggedFails = false,
}: {
  readonly failures: number;
  readonly unloggedFails?: boolean;
}) {
  const said: string[] = [];
  let left = failures;
  const write = recordSafely({
    afterMs: [1, 1],
    records: {
      recordAttempt() {
        left -= 1;
        return left >= 0
          ? Promise.reject(new Error(`failure ${failures - left}`))
          : Promise.resolve('more');
      },
      recordUnlogged: () =>
        unloggedFails ? Promise.reject(new Error('the store is away')) : Promise.resolve('done'),
    },
    onFailure: (error) => {
      said.push((error as Error).message);
    },
    onUnlogged: (error) => {
      said.push(`unlogged: ${(error as Error).message}`);
    },
  });
  return { said, write };
}

describe('the outcome of an attempt', () => {
  it('is written again until it is there, with its row in the log', async () => {
    const { said, write } = records({ failures: 2 });

    await expect(write(record)).resolves.toBe('more');
    expect(said).toEqual(['failure 1', 'failure 2']);
  });

  it('is written without its row in the log when that alone cannot be written, and somebody is told', async () => {
    const { said, write } = records({ failures: 9 });

    await expect(write(record)).resolves.toBe('done');
    expect(said).toEqual(['failure 1', 'failure 2', 'unlogged: failure 3']);
  });

  it('is a fault when neither can be written: nobody is told that it counts', async () => {
    const { said, write } = records({ failures: 9, unloggedFails: true });

    await expect(write(record)).rejects.toThrow('the store is away');
    expect(said).toEqual(['failure 1', 'failure 2']);
  });
});
