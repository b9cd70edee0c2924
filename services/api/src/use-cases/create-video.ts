import type {
  HoldAnswer,
  HoldRequest,
  NewTask,
  ReadVideoRequest,
  Reference,
  Task,
  TaskPrice,
  TaskVendor,
  VideoModel,
  WrittenReference,
} from '@gateway/contracts';
import { GatewayError, secondQuota } from '@gateway/domain';
import { currentContext, reached } from '@gateway/runtime';
import type { IdempotencyClaim, TaskCreation, TaskReads } from '@gateway/store';
import { requireModel, type Caller } from './authenticate.ts';
import type { AssetSource } from './resolve-assets.ts';

export interface CreateVideo {
  readonly caller: Caller;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly requestId: string;
}

export interface CreatedVideo {
  readonly task: Task;
  /** An earlier request with the same key made this task. */
  readonly replayed: boolean;
}

export interface CreateVideoPorts {
  readonly newTaskId: () => string;
  readonly read: (body: unknown) => ReadVideoRequest;
  readonly hashBody: (body: unknown) => Uint8Array;
  readonly vendorOf: (model: VideoModel) => TaskVendor;
  /** Moves quota from available to held; idempotent by task. */
  readonly takeHold: (request: HoldRequest) => Promise<HoldAnswer>;
  /**
   * Gives back the hold of a task that will not be created; true when there is no such task and
   * never will be.
   */
  readonly releaseHold: (taskId: string) => Promise<boolean>;
  /** Unfinished videos that an account may have. */
  readonly maxActive: number;
  /** Whether it may have one more, as of a moment ago. */
  readonly hasCapacity: (accountId: string, maxActive: number) => Promise<boolean>;
  /**
   * The assets that the request names, by id. Throws asset_not_found, or invalid_parameter for one
   * that does not fit its role.
   */
  readonly resolveAssets: (
    read: ReadVideoRequest,
    accountId: string,
  ) => Promise<ReadonlyMap<string, AssetSource>>;
  /** Puts `data:` references into our own storage under the task's id. */
  readonly storeReferences: (
    taskId: string,
    references: readonly WrittenReference[],
    assets: ReadonlyMap<string, AssetSource>,
  ) => Promise<Reference[]>;
  /** Removes what `storeReferences` stored for a task that will not be created; never rejects. */
  readonly removeReferences: (task: Pick<NewTask, 'id' | 'request'>) => Promise<void>;
  readonly tasks: Pick<TaskCreation, 'claimKey' | 'dropKey' | 'insertTask'> &
    Pick<TaskReads, 'findForAccount'>;
  /** Wakes the workers; need not succeed: the reconciler finds the task in the database. */
  readonly wake: (task: Task) => void;
}

/**
 * Creates a task: price frozen, quota held, row written, worker woken, in this order. A crash after
 * the hold leaves a hold without a task, which billing gives back; a crash after the insert leaves
 * a task without a job, which the reconciler wakes.
 */
export function createCreateVideo(
  ports: CreateVideoPorts,
): (request: CreateVideo) => Promise<CreatedVideo> {
  return async ({ caller, body, idempotencyKey, requestId }) => {
    const read = ports.read(body);
    const { accountId } = caller;
    requireModel(caller, read.model);
    reached('create.read');
    const claim =
      idempotencyKey === undefined
        ? undefined
        : { accountId, key: idempotencyKey, bodyHash: ports.hashBody(body) };
    const { taskId, created } = await claimTaskId(ports, claim);
    const earlier = claim && (await ports.tasks.findForAccount(taskId, accountId));
    if (earlier !== undefined) return { task: earlier, replayed: true };
    if (created) {
      throw new GatewayError(
        'idempotency_key_reused',
        'the task created with this Idempotency-Key was deleted; use a new key for a new video',
      );
    }

    const assets = await ownAssets(ports, { read, taskId, accountId, claim });
    const price = priceOf(read);
    await checkCapacity(ports, { taskId, accountId, claim });
    await hold(ports, { taskId, accountId, price, claim });
    reached('create.held', taskId);
    const references = await ports.storeReferences(taskId, read.request.references, assets);
    reached('create.references-stored', taskId);
    const draft: NewTask = {
      id: taskId,
      accountId,
      keyId: caller.keyId,
      requestId,
      model: read.model.name,
      price,
      request: { ...read.request, references },
      vendor: ports.vendorOf(read.model),
      callbackUrl: read.callbackUrl,
      expiresAfterSeconds: read.model.expiresAfterSeconds,
      retentionDays: read.model.retentionDays,
      traceparent: currentContext()?.span?.traceparent,
    };
    const task = await ports.tasks.insertTask(draft, claim, ports.maxActive);
    if (task === 'full') return takeBack(ports, draft, claim);
    if (task === undefined) return concurrent(ports, taskId, accountId);
    reached('create.inserted', taskId);
    ports.wake(task);
    reached('create.woken', taskId);
    return { task, replayed: false };
  };
}

async function claimTaskId(
  { newTaskId, tasks }: CreateVideoPorts,
  claim: IdempotencyClaim | undefined,
): Promise<{ taskId: string; created: boolean }> {
  const proposed = newTaskId();
  if (claim === undefined) return { taskId: proposed, created: false };
  const { taskId, sameBody, created } = await tasks.claimKey(claim, proposed);
  reached('create.key-claimed', taskId);
  if (!sameBody) {
    throw new GatewayError(
      'idempotency_key_reused',
      'this Idempotency-Key was used with another body within the last 24 hours; use a new key for a new request',
    );
  }
  return { taskId, created };
}

/**
 * After the key, so that a repeated request finds its task also when an asset of it was deleted
 * since.
 */
async function ownAssets(
  { resolveAssets, tasks }: CreateVideoPorts,
  {
    read,
    taskId,
    accountId,
    claim,
  }: {
    read: ReadVideoRequest;
    taskId: string;
    accountId: string;
    claim: IdempotencyClaim | undefined;
  },
): Promise<ReadonlyMap<string, AssetSource>> {
  try {
    return await resolveAssets(read, accountId);
  } catch (error) {
    if (claim !== undefined) await tasks.dropKey(claim, taskId);
    throw error;
  }
}

/**
 * Spares the ledger a hold and its release for most of what will be refused; the insert decides
 * exactly.
 */
async function checkCapacity(
  { tasks, hasCapacity, maxActive }: CreateVideoPorts,
  {
    taskId,
    accountId,
    claim,
  }: { taskId: string; accountId: string; claim: IdempotencyClaim | undefined },
): Promise<void> {
  if (await hasCapacity(accountId, maxActive)) return;
  if (claim !== undefined) await tasks.dropKey(claim, taskId);
  throw tooMany(maxActive);
}

/**
 * The account's last free capacity was taken meanwhile, unless it was by this very task, which a request
 * with the same key created.
 */
async function takeBack(
  ports: CreateVideoPorts,
  draft: NewTask,
  claim: IdempotencyClaim | undefined,
): Promise<CreatedVideo> {
  const { id, accountId } = draft;
  reached('create.full', id);
  const task = await ports.tasks.findForAccount(id, accountId);
  if (task !== undefined) return { task, replayed: true };
  if (claim !== undefined) await ports.tasks.dropKey(claim, id);
  if (await ports.releaseHold(id)) await ports.removeReferences(draft);
  throw tooMany(ports.maxActive);
}

/** When a task ends is not known: the time of a short video. */
const capacityRetryMs = 5_000;

const tooMany = (maxActive: number): GatewayError =>
  new GatewayError(
    'too_many_tasks',
    `this account has ${maxActive} unfinished videos, which is its limit; wait for one to finish`,
    {
      retryAfterMs: capacityRetryMs,
      headers: {
        'x-ratelimit-limit': String(maxActive),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(capacityRetryMs / 1_000),
      },
    },
  );

/**
 * Auto length (-1) reserves the model's maximum; the price of a second is fixed here for the task's
 * whole life.
 */
export function priceOf({ model, request }: ReadVideoRequest): TaskPrice {
  const reservedSeconds = request.duration === -1 ? model.duration.max : request.duration;
  const perSecond = secondQuota(model.price, {
    resolution: request.resolution,
    audio: request.generateAudio,
  });
  return { secondQuota: perSecond, reservedSeconds, maxQuota: perSecond * reservedSeconds };
}

async function hold(
  ports: CreateVideoPorts,
  {
    taskId,
    accountId,
    price,
    claim,
  }: { taskId: string; accountId: string; price: TaskPrice; claim: IdempotencyClaim | undefined },
): Promise<void> {
  const answer = await ports.takeHold({
    task_id: taskId,
    account_id: accountId,
    quota: price.maxQuota,
    seconds: price.reservedSeconds,
    second_quota: price.secondQuota,
  });
  if (answer.outcome === 'held' || answer.outcome === 'exists') return;
  if (claim !== undefined) await ports.tasks.dropKey(claim, taskId);
  if (answer.outcome === 'closed') throw retryLater();
  throw new GatewayError(
    'insufficient_quota',
    `this video reserves ${price.maxQuota} quota and the account has ${answer.available_quota} available; top up or request a shorter video`,
  );
}

/**
 * Nothing was inserted: another request with the same key was faster, or the hold was given back
 * because this one was too slow.
 */
async function concurrent(
  { tasks }: CreateVideoPorts,
  taskId: string,
  accountId: string,
): Promise<CreatedVideo> {
  const task = await tasks.findForAccount(taskId, accountId);
  if (task === undefined) throw retryLater();
  return { task, replayed: true };
}

const retryLater = (): GatewayError =>
  new GatewayError(
    'billing_unavailable',
    'the reservation was released before the task was created; nothing was created, try again',
    { retryAfterMs: 1_000 },
  );
