import { newId } from '@gateway/runtime';
import {
  createCallbackRecords,
  createCallbacks,
  createTaskMoves,
  createTaskReads,
  type Database,
} from '@gateway/store';
import { aQueuedTask, withPlace } from '@gateway/testing';
import type { BenchStack } from '../stack.ts';

export interface Stage {
  readonly stack: BenchStack;
  readonly database: Database;
  readonly samples: number;
  /** Tasks that a vendor renders. */
  readonly running: readonly string[];
}

interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: () => string;
  readonly body?: string;
}

/** Requests through the api and billing, one after the other. */
function requests(
  { stack, samples }: Stage,
  { method, path, body: sent }: ApiRequest,
): Promise<number[]> {
  const headers = { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' };
  return timed(samples, async () => {
    const url = `${stack.suite.baseUrl}${path()}`;
    const response = await fetch(url, {
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path()} got ${response.status}`);
  });
}

const body = JSON.stringify({
  model: 'sandbox-video',
  prompt: 'a red balloon',
  duration: 4,
  resolution: '480p',
});

/** One of the tasks that the account has in the queue. */
async function idsOf({ database, stack }: Stage): Promise<() => string> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM task WHERE account_id = $1 AND completed_at IS NULL ORDER BY id DESC LIMIT 200`,
    [stack.accountId],
  );
  let turn = 0;
  return () => rows[(turn += 1) % rows.length]?.id ?? '';
}

/** The statements of the worker for one response of a vendor: read the task, note that nothing changed. */
async function poll(stage: Stage): Promise<number[]> {
  const { database, samples, running } = stage;
  const moves = createTaskMoves(database);
  const reads = createTaskReads(database);
  return timed(samples, async (index) => {
    const task = await reads.findEvenDeleted(running[index % running.length] ?? '');
    if (task === undefined) throw new Error('a task is gone');
    await moves.stay(task, { step: 'poll', stepFailures: 1 });
  });
}

/** The statements of the dispatcher for one push: claim it, write what came of it. */
async function push(stage: Stage): Promise<number[]> {
  const { database, samples, running } = stage;
  const callbacks = createCallbacks(database);
  const records = createCallbackRecords(database);
  const attempt = { attempt: 1, trigger: 'auto', durationMs: 1, httpStatus: 200 } as const;
  const rest = { remoteAddress: null, detail: null, answerExcerpt: null } as const;
  return timed(samples, async (index) => {
    const taskId = running[index % running.length] ?? '';
    const token = newId('usage');
    await callbacks.claim({ callbackId: taskId, token, forMs: 60_000, newChallenge: 'c' });
    await records.recordAttempt({
      callbackId: taskId,
      token,
      attempt: {
        ...attempt,
        ...rest,
        id: newId('attempt'),
        sequence: null,
        startedAt: new Date(),
        attemptClass: 'http_error',
      },
      progress: { kind: 'retry', failures: 1, afterMs: 0 },
    });
  });
}

const busy = 100;

/** As the worker leaves tasks that their vendor has accepted. */
export async function runningTasks({
  database,
  stack,
}: Pick<Stage, 'database' | 'stack'>): Promise<string[]> {
  const moves = createTaskMoves(database);
  const hook = { callbackUrl: 'https://receiver.example/hook' };
  const ids: string[] = [];
  while (ids.length < busy) {
    const queued = await withPlace(database, await aQueuedTask(database, stack.accountId, hook));
    const sent = await moves.claimSubmission(queued);
    if (sent === 'lost') throw new Error('nobody else takes this task');
    await moves.move(sent, 'accepted', { changes: { step: 'poll', vendorTaskId: 'cgt-bench' } });
    ids.push(queued.id);
  }
  return ids;
}

/** How long each took, in ms. */
async function timed(samples: number, work: (index: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const begun = performance.now();
    await work(index);
    times.push(performance.now() - begun);
  }
  return times;
}

/** What customers and workers wait for, by its name. */
export const works: Readonly<Record<string, (stage: Stage) => Promise<number[]>>> = {
  create: (stage) => requests(stage, { method: 'POST', path: () => '/v1/videos', body }),
  read: async (stage) => {
    const idOf = await idsOf(stage);
    return requests(stage, { method: 'GET', path: () => `/v1/videos/${idOf()}` });
  },
  list: (stage) => requests(stage, { method: 'GET', path: () => '/v1/videos?limit=20' }),
  poll,
  push,
};
