import { describe, expect, it } from '@jest/globals';
import type { TaskStatus, TaskStep } from '@gateway/domain';
import { recordingLog } from '@gateway/testing';
import {
  cancelStateOf,
  type CancelState,
} from '../../../services/api/src/use-cases/cancel-video.ts';
import { createDeleteVideo } from '../../../services/api/src/use-cases/delete-video.ts';
import { checks } from '../../../services/api/src/use-cases/checks.ts';
import { createPurgeDeleted } from '../../../services/api/src/use-cases/purge-deleted.ts';

/** Time that passes only while somebody pauses. */
function aClock(): { readonly now: () => number; readonly pause: (ms: number) => Promise<void> } {
  let time = 5_000;
  return {
    now: () => time,
    pause: (ms) => {
      time += ms;
      return Promise.resolve();
    },
  };
}

describe('what came of a cancel request', () => {
  const requested = new Date();
  it.each<[TaskStatus, TaskStep, Date | null, CancelState]>([
    ['queued', 'submit', requested, 'pending'],
    ['queued', 'submitting', requested, 'pending'],
    ['running', 'poll', requested, 'pending'],
    ['running', 'poll', null, 'refused'],
    ['queued', 'submitting', null, 'refused'],
    ['running', 'ingest', requested, 'refused'],
    ['cancelled', 'done', requested, 'cancelled'],
    ['cancelled', 'done', null, 'cancelled'],
    ['succeeded', 'done', requested, 'refused'],
    ['failed', 'done', requested, 'refused'],
    ['expired', 'late', requested, 'refused'],
  ])('of a task that is %s at %s is told by its row', (status, step, cancelRequestedAt, state) => {
    expect(cancelStateOf({ status, step, cancelRequestedAt })).toBe(state);
  });
});

describe('waiting for another service', () => {
  it('checks at once and at the very end, less and less often between, and nudges twice a second', async () => {
    const { now, pause } = aClock();
    const start = now();
    const seen: [number, boolean][] = [];

    for await (const { isNudge } of checks({ forMs: 2_000, now, pause })) {
      seen.push([now() - start, isNudge]);
    }

    expect([seen[0], seen.at(-1)]).toEqual([
      [0, true],
      [2_000, false],
    ]);
    const gaps = seen.slice(1).map(([at], index) => at - seen[index]![0]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(200);
    expect(seen.filter(([, isNudge]) => isNudge)).toHaveLength(4);
  });

  it('without patience checks once and nudges nobody', async () => {
    const seen = [];
    for await (const check of checks({ forMs: 0, ...aClock() })) seen.push(check);

    expect(seen).toEqual([{ isNudge: false }]);
  });
});

describe('deleting', () => {
  it('hurries the settlement again and again, and gives up when it does not come', async () => {
    const calls: string[] = [];
    const deleteVideo = createDeleteVideo({
      markDeleted: () => Promise.resolve('unsettled'),
      wake: (job, id, { hurry } = {}) => {
        calls.push(`${hurry === true ? 'hurry' : 'wake'} ${job} ${id}`);
        return Promise.resolve();
      },
      onDeleted: () => {
        calls.push('counted');
      },
      log: recordingLog(),
      purge: (id) => {
        calls.push(`purge ${id}`);
        return Promise.resolve();
      },
      patience: { forMs: 1_000, ...aClock() },
    });

    await expect(deleteVideo({ taskId: 'video_a', accountId: 'acct_a' })).rejects.toMatchObject({
      code: 'billing_unavailable',
      retryAfterMs: 1_000,
    });
    expect(calls).toEqual(['hurry billing.settle video_a', 'hurry billing.settle video_a']);
  });
});

describe('finishing deletions', () => {
  const deleted = [
    { taskId: 'a', storageKeys: ['a1', 'a2'] },
    { taskId: 'b', storageKeys: ['b1'] },
  ];

  it('removes the files of a task before its row', async () => {
    const calls: string[] = [];
    const purge = createPurgeDeleted({
      findDeleted: () => Promise.resolve(deleted),
      removeFile: (key) => {
        calls.push(key);
        return Promise.resolve('gone');
      },
      forget: (id) => {
        calls.push(`row ${id}`);
        return Promise.resolve();
      },
    });

    await purge();

    expect(calls).toEqual(['a1', 'a2', 'row a', 'b1', 'row b']);
  });

  const manyDeleted = Array.from({ length: 1_203 }, (_unused, index) => {
    const id = String(index).padStart(4, '0');
    return { taskId: id, storageKeys: [id] };
  });
  const pagesOf =
    (all: typeof manyDeleted) =>
    ({ limit, after = '' }: { limit: number; after?: string | undefined }) =>
      Promise.resolve(all.filter(({ taskId }) => taskId > after).slice(0, limit));

  it('keeps the row of a task whose file cannot be removed, and goes on with the others', async () => {
    const forgotten: string[] = [];
    const purge = createPurgeDeleted({
      findDeleted: () => Promise.resolve(deleted),
      removeFile: (key) => Promise.resolve(key === 'a2' ? 'left' : 'gone'),
      forget: (id) => {
        forgotten.push(id);
        return Promise.resolve();
      },
    });

    await purge();

    expect(forgotten).toEqual(['b']);
  });

  it('comes to the tasks behind more than a page of those that cannot be removed', async () => {
    const forgotten: string[] = [];
    const purge = createPurgeDeleted({
      findDeleted: pagesOf(manyDeleted),
      removeFile: (key) => Promise.resolve(key < '1100' ? 'left' : 'gone'),
      forget: (id) => {
        forgotten.push(id);
        return Promise.resolve();
      },
    });

    await purge();

    expect(forgotten).toHaveLength(103);
  });

  it('stops when the storage takes no deletions', async () => {
    const pages: unknown[] = [];
    const purge = createPurgeDeleted({
      findDeleted: (page) => {
        pages.push(page.after);
        return pagesOf(manyDeleted)(page);
      },
      removeFile: () => Promise.resolve('paused'),
      forget: () => Promise.reject(new Error('no file is gone')),
    });

    await purge();

    expect(pages).toEqual([undefined]);
  });

  it('goes on behind a row that cannot be removed, and says so', async () => {
    const forgotten: string[] = [];
    const purge = createPurgeDeleted({
      findDeleted: () => Promise.resolve(deleted),
      removeFile: () => Promise.resolve('gone'),
      forget: (id) => {
        if (id === 'a') return Promise.reject(new Error('locked'));
        forgotten.push(id);
        return Promise.resolve();
      },
    });

    await expect(purge()).rejects.toThrow('1 deleted tasks');
    expect(forgotten).toEqual(['b']);
  });
});
