import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createSteps } from '../../../../services/api/src/bodies/steps.ts';

describe('the steps in which large bodies are read', () => {
  it('are one in each turn of the event loop, accounts in turn', async () => {
    const { run } = createSteps();
    const done: string[] = [];
    const all = [
      ['a', 'a1'],
      ['a', 'a2'],
      ['b', 'b1'],
    ].map(([accountId = '', name = '']) => run(accountId, () => done.push(name)));
    expect(done).toEqual([]);

    const seen: string[] = [];
    while (seen.length < 3) {
      await nextTurn();
      seen.push(done.join(' '));
    }

    expect(seen).toEqual(['a1', 'a1 b1', 'a1 b1 a2']);
    expect(await Promise.all(all)).toEqual([1, 3, 2]);
  });

  it('tell what their work came to, and go on after what failed', async () => {
    const { run } = createSteps();
    const failing = run('a', () => {
      throw new Error('no');
    });
    const later = run('a', () => Promise.resolve('late'));

    await expect(failing).rejects.toThrow('no');
    expect(await later).toBe('late');
    expect(await run('b', () => 'once more')).toBe('once more');
  });
});
