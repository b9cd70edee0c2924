import { describe, expect, it } from '@jest/globals';
import { callbackPushHandler } from '../../../services/callback-dispatcher/src/handlers/callback-push.ts';

/** The handler over tasks of which some are due, with what it asked for and whom it woke. */
function aHandler({ due }: { readonly due: readonly string[] }) {
  const asked: (readonly string[])[] = [];
  const woken: string[] = [];
  const { recheck } = callbackPushHandler({
    pushEvents: () => Promise.resolve({ kind: 'done' }),
    dueAmong: (taskIds) => {
      asked.push(taskIds);
      return Promise.resolve(taskIds.filter((id) => due.includes(id)));
    },
    wake: (taskId) => {
      woken.push(taskId);
      return Promise.resolve();
    },
  });
  return { asked, woken, recheck: recheck! };
}

describe('the job callback.push, once it has left the queue', () => {
  it.each([
    [
      'is woken again when an event came in its last moment, whose own wake-up was swallowed',
      ['video_1'],
    ],
    ['is left alone when nothing is due', []],
  ])('%s', async (_name, due) => {
    const { woken, recheck } = aHandler({ due });

    await recheck('video_1');

    expect(woken).toEqual(due);
  });

  it('is looked at together with those that ended at about the same time, and each that ends later once more', async () => {
    const { asked, woken, recheck } = aHandler({ due: ['video_2'] });

    await Promise.all([recheck('video_1'), recheck('video_2'), recheck('video_1')]);
    await recheck('video_2');

    expect(asked).toEqual([['video_1', 'video_2'], ['video_2']]);
    expect(woken).toEqual(['video_2', 'video_2']);
  });

  it('says when the look failed, and the next look is a fresh one', async () => {
    let isAway = true;
    const { recheck } = callbackPushHandler({
      pushEvents: () => Promise.resolve({ kind: 'done' }),
      dueAmong: () =>
        isAway ? Promise.reject(new Error('the store is away')) : Promise.resolve([]),
      wake: () => Promise.resolve(),
    });

    await expect(recheck!('video_1')).rejects.toThrow('the store is away');
    isAway = false;
    await expect(recheck!('video_1')).resolves.toBeUndefined();
  });
});
