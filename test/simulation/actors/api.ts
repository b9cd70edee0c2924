import type { ReadVideoRequest, Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createTaskCreation, createTaskEndings, createTaskReads } from '@gateway/store';
import { wideBounds } from '@gateway/testing';
import { createTaskInserter } from '../../../services/api/src/adapters/task-inserter.ts';
import { createCancelVideo } from '../../../services/api/src/use-cases/cancel-video.ts';
import {
  createCreateVideo,
  type CreatedVideo,
} from '../../../services/api/src/use-cases/create-video.ts';
import { createDeleteVideo } from '../../../services/api/src/use-cases/delete-video.ts';
import { createPurgeDeleted } from '../../../services/api/src/use-cases/purge-deleted.ts';
import { createWakeForNewTask } from '../../../services/api/src/use-cases/wake-for-new-task.ts';
import { createModelProducer } from '../stores/queue-model.ts';
import { createBillingCalls } from './billing-calls.ts';
import type { BillingFace } from './billing.ts';
import { callerOf } from './caller.ts';
import { modelName, secondQuota, vendorNamed, type Promised } from './settings.ts';
import type { Footing, Replica, Surroundings } from './surroundings.ts';
import { beginText, type TextFace } from './text/api.ts';

export interface Order {
  readonly number: number;
  readonly accountId: string;
  readonly seconds: number;
  readonly idempotencyKey: string | undefined;
  readonly callbackUrl: string | null;
}

/** What customers call. */
export interface ApiFace {
  create(order: Order): Promise<CreatedVideo>;
  read(taskId: string, accountId: string): Promise<Task | undefined>;
  cancel(taskId: string, accountId: string): Promise<Task>;
  remove(taskId: string, accountId: string): Promise<void>;
  /** Undefined in a world without text. */
  readonly text: TextFace | undefined;
}

/** One life of the api. */
export function beginApi(
  surroundings: Surroundings,
  footing: Footing,
  billing: readonly Replica<BillingFace>[],
): ApiFace {
  const { world, redis, promised, text } = surroundings;
  const { life, database, link, log } = footing;
  const calls = createBillingCalls(surroundings, life, billing);
  const reads = createTaskReads(database);
  const endings = createTaskEndings(database);
  const { wake } = createModelProducer(redis.state, { link, log });
  const purge = createPurgeDeleted({
    ...endings,
    removeFile: (key) => life.within(surroundings.storage.remove(key)),
  });
  life.every(60_000, () => purge());
  const patience = { forMs: promised.patienceMs, now: world.now, pause: life.pause };
  const create = createCreateVideo({
    ...creation(surroundings, footing),
    ...calls,
    patience,
    wake: createWakeForNewTask({ wake, mayHaveFreeSlot: () => true }),
  });
  const cancel = createCancelVideo({
    tasks: { ...endings, ...reads },
    wake,
    removeReferences: () => Promise.resolve(),
    onCancelledAtOnce: () => undefined,
    log,
    patience,
  });
  const remove = createDeleteVideo({
    markDeleted: endings.markDeleted,
    wake,
    purge,
    onDeleted: () => undefined,
    log,
    patience,
  });
  return {
    create: ({ accountId, number, seconds, idempotencyKey, callbackUrl }) =>
      create({
        caller: callerOf(accountId),
        body: { number, seconds, callbackUrl },
        hashBody: () => new Uint8Array(32).fill(seconds),
        idempotencyKey,
        requestId: 'req_simulated',
        hasGone: () => false,
      }),
    read: reads.findOrArchived,
    cancel: (taskId, accountId) => cancel({ taskId, accountId }),
    remove: (taskId, accountId) => remove({ taskId, accountId }),
    text: text && beginText(surroundings, footing, { world, text, ask: calls.settleLeases }),
  };
}

type Creation = Omit<
  Parameters<typeof createCreateVideo>[0],
  'patience' | 'wake' | 'takeHold' | 'releaseHold'
>;

function creation(surroundings: Surroundings, { database }: Footing): Creation {
  const { world, vendors, promised } = surroundings;
  const store = createTaskCreation(database);
  const tasks = {
    ...store,
    insertTask: createTaskInserter(store, wideBounds),
    findForAccount: createTaskReads(database).findForAccount,
  };
  const routes = [...vendors.keys()].map((provider) => ({ provider }));
  return {
    tasks,
    keepsPrompts: true,
    maxActive: 1_000,
    newTaskId: () => newId('task'),
    read: (body) => readVideo(body as Body, promised),
    vendorOf: ({ provider }) => vendorNamed(provider),
    routesFor: () => routes as never,
    chooseRoute: (among) => world.dice.pick(among),
    hasCapacity: () => Promise.resolve(true),
    resolveReferences: () => Promise.resolve(new Map()),
    priceVideo: ({ read: { request } }) => ({
      secondQuota,
      reservedSeconds: request.duration,
      maxQuota: request.duration * secondQuota,
    }),
    storeReferences: () => Promise.resolve([]),
    removeReferences: () => Promise.resolve(),
  };
}

type Body = Pick<Order, 'number' | 'seconds' | 'callbackUrl'>;

const readVideo = (
  { number, seconds, callbackUrl }: Body,
  { expiresAfterSeconds }: Promised,
): ReadVideoRequest =>
  ({
    model: {
      name: modelName,
      expiresAfterSeconds,
      retentionDays: 30,
    },
    routes: [],
    request: {
      prompt: 'a red balloon',
      references: [],
      ratio: '16:9',
      duration: seconds,
      resolution: '480p',
      watermark: false,
      seed: null,
      generateAudio: false,
      returnLastFrame: false,
      metadata: { order: String(number) },
      unsupported: [],
    },
    callbackUrl,
  }) as unknown as ReadVideoRequest;
