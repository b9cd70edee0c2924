import { createService, settingsSchema } from '@gateway/callback-dispatcher';
import type { NewTask, Task } from '@gateway/contracts';
import type { TaskEvent } from '@gateway/domain';
import { createProducer, type Producer } from '@gateway/queue';
import { loadSettings, startAll } from '@gateway/runtime';
import { createTaskMoves, type TaskChanges } from '@gateway/store';
import {
  asService,
  anAccount,
  aQueuedTask,
  eventually,
  openTestDatabase,
  recordingLog,
  testRedis,
  type TestDatabase,
} from '@gateway/testing';
import { Redis } from 'ioredis';
import { deleteKeys } from '../integration/queue/delete-keys.ts';

type Row = Record<string, unknown>;
export type Settings = Readonly<Record<string, string>>;

export interface Dispatcher {
  readonly opsUrl: string;
  readonly log: ReturnType<typeof recordingLog>;
  stop(): Promise<void>;
}

/**
 * Everything a story about the dispatcher needs: its own database, its own queue, dispatchers, and
 * the work of the others.
 */
export interface Stage {
  readonly test: TestDatabase;
  readonly accountId: string;
  readonly callbackSecret: string;
  /**
   * A dispatcher in this process; retries come after milliseconds, and no reconciler helps unless a
   * story asks for it.
   */
  start(settings?: Settings): Promise<Dispatcher>;
  /**
   * One with a queue of its own, which nobody wakes: only its reconciler and its claims tie it to
   * the others.
   */
  startAside(settings?: Settings): Promise<Dispatcher>;
  /** What the API does: a task with its first event, and a wake-up. */
  create(callbackUrl: string, overrides?: Partial<NewTask>): Promise<Task>;
  /** What the video-worker does: an event with its push, and a wake-up. */
  move(task: Task, event: TaskEvent, options?: { readonly wake?: boolean }): Promise<Task>;
  /** The same without anybody being woken. */
  createQuietly(callbackUrl: string): Promise<Task>;
  callbackOf(taskId: string): Promise<Row>;
  attemptsOf(taskId: string): Promise<Row[]>;
  /** States of the pushes in their order. */
  pushStates(taskId: string): Promise<string[]>;
  sql(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Takes every key of the queue out of Redis, as a flush does, and returns how many those were.
   */
  emptyQueue(): Promise<number>;
  stopDispatchers(): Promise<void>;
  close(): Promise<void>;
}

/** Key of 32 bytes that signs the media addresses of these stories. */
export const mediaTokenKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
export const publicBaseUrl = 'https://gateway.example';

const changesOf: Readonly<Record<TaskEvent, TaskChanges>> = {
  accepted: { step: 'poll', vendorTaskId: 'vendor-1' },
  stored: {
    step: 'done',
    billed: { seconds: 4, quota: 40 },
    result: {
      seconds: 4,
      width: 640,
      height: 368,
      hasAudio: false,
      ratio: '16:9',
      resolution: '480p',
      seed: 7,
      completionTokens: 90,
      totalTokens: 90,
    },
  },
  failed: {
    step: 'done',
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'vendor_error', message: 'The vendor failed to render the video.' },
  },
  expired: {
    step: 'done',
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'expired', message: 'The task did not finish before its deadline.' },
  },
  cancelled: {
    step: 'done',
    billed: { seconds: 0, quota: 0 },
    failure: { code: 'cancelled', message: 'The task was cancelled.' },
  },
};

export async function openStage(): Promise<Stage> {
  const test = await openTestDatabase();
  const redis = testRedis();
  const { id: accountId, callbackSecret } = await anAccount(test.database, { quota: 1_000_000 });
  const producer: Producer = createProducer({
    redisUrl: redis.url,
    prefix: redis.prefix,
    log: recordingLog(),
  });
  await eventually(() => producer.check()); // a producer fails fast until its connection is up
  const moves = createTaskMoves(test.database);
  const dispatchers: Dispatcher[] = [];
  const sql: Stage['sql'] = async (text, values = []) =>
    (await test.database.pool.query<Row>(text, [...values])).rows;
  const wake = (taskId: string): Promise<void> => producer.wake('callback.push', taskId);
  const createQuietly: Stage['create'] = (callbackUrl, overrides = {}) =>
    aQueuedTask(test.database, overrides.accountId ?? accountId, { callbackUrl, ...overrides });

  const start: Stage['start'] = async (settings = {}) => {
    const dispatcher = await startDispatcher({
      DATABASE_URL: asService(test.url, 'callback-dispatcher'),
      REDIS_URL: redis.url,
      QUEUE_PREFIX: redis.prefix,
      ...settings,
    });
    dispatchers.push(dispatcher);
    return dispatcher;
  };

  const stopDispatchers: Stage['stopDispatchers'] = async () => {
    for (const dispatcher of dispatchers.splice(0)) await dispatcher.stop();
  };

  return {
    test,
    accountId,
    callbackSecret,
    sql,
    createQuietly,
    start,
    stopDispatchers,
    startAside: (settings = {}) =>
      start({ QUEUE_PREFIX: testRedis().prefix, CALLBACK_SWEEP_MS: '50', ...settings }),
    async create(callbackUrl, overrides) {
      const task = await createQuietly(callbackUrl, overrides);
      await wake(task.id);
      return task;
    },
    async move(task, event, options = {}) {
      const moved = await moves.move(task, event, { changes: changesOf[event] });
      if (moved === undefined) throw new Error(`the task could not take ${event}`);
      if (options.wake !== false) await wake(task.id);
      return moved;
    },
    callbackOf: async (taskId) =>
      (await sql('SELECT * FROM callback WHERE task_id = $1', [taskId]))[0] ?? {},
    attemptsOf: (taskId) =>
      sql('SELECT * FROM callback_attempt WHERE task_id = $1 ORDER BY started_at, id', [taskId]),
    pushStates: async (taskId) =>
      (
        await sql('SELECT state FROM callback_push WHERE task_id = $1 ORDER BY sequence', [taskId])
      ).map((row) => String(row['state'])),
    emptyQueue: () => emptyQueue(redis),
    async close() {
      await stopDispatchers();
      await producer.part.stop();
      await test.close();
    },
  };
}

async function emptyQueue({ url, prefix }: ReturnType<typeof testRedis>): Promise<number> {
  const redis = new Redis(url);
  const count = await deleteKeys(redis, `${prefix}:callback*`);
  await redis.quit();
  return count;
}

async function startDispatcher(settings: Settings): Promise<Dispatcher> {
  const log = recordingLog();
  const service = createService(
    loadSettings(settingsSchema, {
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      PUBLIC_BASE_URL: publicBaseUrl,
      MEDIA_TOKEN_KEYS: mediaTokenKeys,
      CALLBACK_ALLOW_CIDRS: '127.0.0.1/32',
      CALLBACK_ALLOW_HTTP: 'true',
      CALLBACK_RETRY_DELAYS_MS: '20,20,20,20,20',
      CALLBACK_SWEEP_MS: '600000',
      CALLBACK_COOL_DOWN_MS: '100',
      ...settings,
    }),
    log,
  );
  const stop = await startAll(service.parts);
  let stopped: Promise<void> | undefined;
  return { opsUrl: service.opsUrl(), log, stop: () => (stopped ??= stop()) };
}
