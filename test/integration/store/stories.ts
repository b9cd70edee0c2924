import type { NewTask, StoredMedia, Task, TaskResult } from '@gateway/contracts';
import { taskFailure, type TaskFailureCode } from '@gateway/domain';
import { createTaskMoves, type Database, type TaskMoves } from '@gateway/store';
import { aQueuedTask, withPlace } from '@gateway/testing';

/** The result of a write that the test needs to have won. */
export function won<Value>(value: Value | undefined | 'full' | 'lost'): Value {
  if (value === undefined || value === 'full' || value === 'lost') {
    throw new Error(`the write of a test story was refused: ${String(value)}`);
  }
  return value;
}

export const aResult: TaskResult = {
  seconds: 5,
  width: 640,
  height: 368,
  hasAudio: false,
  ratio: '16:9',
  resolution: '480p',
  seed: null,
  completionTokens: 100,
  totalTokens: 100,
};

export const contentOf = (task: Task): StoredMedia => ({
  variant: 'content',
  storageKey: `videos/${task.id}.mp4`,
  contentType: 'video/mp4',
  sizeBytes: 1234,
  sha256: 'a'.repeat(64),
});

/** The lives that tasks of these tests lead, all through the store's own writes. */
export interface Stories {
  queued(overrides?: Partial<NewTask>): Promise<Task>;
  submitting(overrides?: Partial<NewTask>): Promise<Task>;
  running(overrides?: Partial<NewTask>): Promise<Task>;
  succeeded(billedSeconds: number, overrides?: Partial<NewTask>): Promise<Task>;
  ended(event: 'failed' | 'expired' | 'cancelled', overrides?: Partial<NewTask>): Promise<Task>;
}

const failureOf = {
  failed: 'vendor_error',
  expired: 'expired',
  cancelled: 'cancelled',
} as const satisfies Record<string, TaskFailureCode>;

export function succeed(
  moves: TaskMoves,
  task: Task,
  billedSeconds: number,
): Promise<Task | undefined> {
  return moves.move(task, 'stored', {
    changes: {
      step: 'done',
      result: aResult,
      billed: { seconds: billedSeconds, quota: billedSeconds * task.price.secondQuota },
    },
    media: [contentOf(task)],
  });
}

export function end(
  moves: TaskMoves,
  task: Task,
  event: 'failed' | 'expired' | 'cancelled',
): Promise<Task | undefined> {
  return moves.move(task, event, {
    changes: {
      step: event === 'expired' ? 'late' : 'done',
      failure: taskFailure(failureOf[event]),
      billed: { seconds: 0, quota: 0 },
    },
  });
}

export function storiesOf(database: Database, accountId: string): Stories {
  const moves = createTaskMoves(database);
  const queued: Stories['queued'] = (overrides) => aQueuedTask(database, accountId, overrides);
  const submitting: Stories['submitting'] = async (overrides) =>
    won(await moves.claimSubmission(await withPlace(database, await queued(overrides))));
  const running: Stories['running'] = async (overrides) =>
    won(
      await moves.move(await submitting(overrides), 'accepted', {
        changes: { step: 'poll', vendorTaskId: 'vendor-1' },
      }),
    );
  return {
    queued,
    submitting,
    running,
    succeeded: async (billedSeconds, overrides) =>
      won(await succeed(moves, await running(overrides), billedSeconds)),
    ended: async (event, overrides) => won(await end(moves, await running(overrides), event)),
  };
}
