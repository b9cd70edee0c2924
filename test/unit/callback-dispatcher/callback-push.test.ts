import { describe, expect, it } from '@jest/globals';
import { callbackPushHandler } from '../../../services/callback-dispatcher/src/handlers/callback-push.ts';

describe('the job callback.push, once it has left the queue', () => {
  it.each([
    ['is woken again when an event came in its last moment, whose own wake-up was swallowed', true, ['video_1']],
    ['is left alone when nothing is due', false, []],
  ])('%s', async (_name, isDue, expected) => {
    const woken: string[] = [];
    const { lookAgain } = callbackPushHandler({
      pushEvents: () => Promise.resolve({ kind: 'done' }),
      isDue: () => Promise.resolve(isDue),
      wake: (taskId) => { woken.push(taskId); return Promise.resolve(); },
    });

    await lookAgain?.('video_1');

    expect(woken).toEqual(expected);
  });
});
