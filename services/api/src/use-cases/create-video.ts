import type {
  HoldResponse,
  HoldRequest,
  NewTask,
  ReadVideoRequest,
  Reference,
  Task,
  TaskPrice,
  TaskVendor,
  VideoRoute,
  WrittenReference,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { currentContext, reached } from '@gateway/runtime';
import type { IdempotencyClaim, TaskCreation } from '@gateway/store';
import { requireModel, type Caller } from './authenticate.ts';
import { insertVideo, type InsertVideoPorts } from './insert-video.ts';
import type { OwnFiles } from './own-files.ts';
import type { PriceVideo } from './price-video.ts';
import type { ResolveReferences } from './resolve-references.ts';

export interface CreateVideo {
  readonly caller: Caller;
  readonly body: unknown;
  readonly hashBody: () => Uint8Array;
  readonly idempotencyKey: string | undefined;
  readonly requestId: string;
  /** Whether nobody waits for the response any more. */
  readonly hasGone: () => boolean;
}

export interface CreatedVideo {
  readonly task: Task;
  /** An earlier request with the same key made this task. */
  readonly replayed: boolean;
}

export interface CreateVideoPorts extends InsertVideoPorts {
  /** Whether prompts and references stay with a task that is over. */
  readonly keepsPrompts: boolean;
  readonly newTaskId: () => string;
  readonly read: (body: unknown) => ReadVideoRequest;
  readonly vendorOf: (route: VideoRoute) => TaskVendor;
  /** The routes that can have it, with these files; at least one. */
  readonly routesFor: (read: ReadVideoRequest, ownFiles: OwnFiles) => readonly VideoRoute[];
  /** One of the routes, by their weights. */
  readonly chooseRoute: (routes: readonly VideoRoute[]) => VideoRoute;
  /** Moves quota from available to held; idempotent by task. */
  readonly takeHold: (request: HoldRequest) => Promise<HoldResponse>;
  /** Whether it may have one more, as of a moment ago. */
  readonly hasCapacity: (accountId: string, maxActive: number) => Promise<boolean>;
  /**
   * The assets and videos that the request names. Throws asset_not_found, task_not_found, or
   * invalid_parameter for one that does not fit its role.
   */
  readonly resolveReferences: ResolveReferences;
  /** The most that it can cost. Throws invalid_parameter for a reference that it cannot measure. */
  readonly priceVideo: PriceVideo;
  /** Puts `data:` references into our own storage under the task's id. */
  readonly storeReferences: (
    taskId: string,
    references: readonly WrittenReference[],
    ownFiles: OwnFiles,
  ) => Promise<Reference[]>;
  readonly tasks: InsertVideoPorts['tasks'] & Pick<TaskCreation, 'claimKey'>;
  /** Wakes the workers; need not succeed: the reconciler finds the task in the database. */
  readonly wake: (task: Task) => void;
}

/**
 * Creates a task: price frozen, quota held, row written, worker woken, in this order. A crash after
 * the hold leaves a hold without a task, which billing gives back; a crash after the insert leaves
 * a task without a job, which the reconciler wakes.
 */
export function createCreateVideo(
  usual: CreateVideoPorts,
): (request: CreateVideo) => Promise<CreatedVideo> {
  return async ({ caller, body, hashBody, idempotencyKey, requestId, hasGone }) => {
    const ports = withLimitOf(caller, usual);
    const read = ports.read(body);
    const { accountId } = caller;
    requireModel(caller, read.model);
    reached('create.read');
    const claim =
      idempotencyKey === undefined
        ? undefined
        : { accountId, key: idempotencyKey, bodyHash: hashBody() };
    const { taskId, created } = await claimTaskId(ports, claim);
    const earlier = claim && (await ports.tasks.findForAccount(taskId, accountId));
    if (earlier !== undefined) return { task: earlier, replayed: true };
    if (created) {
      throw new GatewayError(
        'idempotency_key_reused',
        'the task created with this Idempotency-Key was deleted; use a new key for a new video',
      );
    }

    const { ownFiles, price } = await priced(ports, { read, taskId, accountId, claim });
    await checkCapacity(ports, { taskId, accountId, claim });
    if (hasGone()) throw callerGone();
    await hold(ports, { taskId, accountId, price, claim });
    reached('create.held', taskId);
    const references = await ports.storeReferences(taskId, read.request.references, ownFiles);
    reached('create.references-stored', taskId);
    const draft: NewTask = {
      id: taskId,
      accountId,
      keyId: caller.keyId,
      requestId,
      model: read.model.name,
      price,
      request: { ...read.request, references, ...keptAs(ports) },
      vendor: ports.vendorOf(ports.chooseRoute(ports.routesFor(read, ownFiles))),
      callbackUrl: read.callbackUrl,
      expiresAfterSeconds: read.model.expiresAfterSeconds,
      retentionDays: read.model.retentionDays,
      traceparent: currentContext()?.span?.traceparent,
    };
    const task = await insertVideo(ports, draft, claim);
    if (task === 'full') return takeBack(ports, draft, claim);
    if (task === undefined) return concurrent(ports, draft, claim);
    reached('create.inserted', taskId);
    ports.wake(task);
    reached('create.woken', taskId);
    return { task, replayed: false };
  };
}

/** The account's own limit goes before that of the configuration. */
const withLimitOf = ({ activeVideosLimit }: Caller, ports: CreateVideoPorts): CreateVideoPorts => ({
  ...ports,
  maxActive: activeVideosLimit ?? ports.maxActive,
});

const keptAs = ({ keepsPrompts }: CreateVideoPorts): { readonly isPrivate?: true } =>
  keepsPrompts ? {} : { isPrivate: true };

/** Is told to nobody; the log and the metrics see it. */
const callerGone = (): GatewayError =>
  new GatewayError('overloaded', 'the client has closed the connection; nothing was created');

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
 * After the key, so that a repeated request finds its task also when a file of it was deleted
 * since, or a clip can no longer be measured.
 */
async function priced(
  { resolveReferences, priceVideo, tasks }: CreateVideoPorts,
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
): Promise<{ readonly ownFiles: OwnFiles; readonly price: TaskPrice }> {
  try {
    const ownFiles = await resolveReferences(read, accountId);
    const price = priceVideo({ read, accountId, ownFiles });
    return { ownFiles, price: price instanceof Promise ? await price : price };
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
  reached('create.full', draft.id);
  const task = await ports.tasks.findForAccount(draft.id, draft.accountId);
  if (task !== undefined) return { task, replayed: true };
  await giveUp(ports, draft, claim);
  throw tooMany(ports.maxActive);
}

/** Leaves nothing of a task that was not inserted, unless another request has inserted it by now. */
async function giveUp(
  ports: CreateVideoPorts,
  draft: NewTask,
  claim: IdempotencyClaim | undefined,
): Promise<void> {
  if (claim !== undefined) await ports.tasks.dropKey(claim, draft.id);
  if (await ports.releaseHold(draft.id)) await ports.removeReferences(draft);
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

async function hold(
  ports: CreateVideoPorts,
  {
    taskId,
    accountId,
    price,
    claim,
  }: { taskId: string; accountId: string; price: TaskPrice; claim: IdempotencyClaim | undefined },
): Promise<void> {
  const response = await ports.takeHold({
    task_id: taskId,
    account_id: accountId,
    quota: price.maxQuota,
    seconds: price.reservedSeconds,
    second_quota: price.secondQuota,
    ...(price.terms !== undefined && { price: price.terms }),
  });
  if (response.outcome === 'held' || response.outcome === 'exists') return;
  if (claim !== undefined) await ports.tasks.dropKey(claim, taskId);
  if (response.outcome === 'closed') throw retryLater();
  throw new GatewayError(
    'insufficient_quota',
    `this video reserves ${price.maxQuota} quota and the account has ${response.available_quota} available; top up or request a shorter video`,
  );
}

/**
 * Nothing was inserted: another request with the same key was faster, the hold was given back because
 * this one was too slow, or an earlier request with the same key had it taken for other seconds, by a
 * configuration that was changed since. The next request starts from nothing.
 */
async function concurrent(
  ports: CreateVideoPorts,
  draft: NewTask,
  claim: IdempotencyClaim | undefined,
): Promise<CreatedVideo> {
  const task = await ports.tasks.findForAccount(draft.id, draft.accountId);
  if (task !== undefined) return { task, replayed: true };
  await giveUp(ports, draft, claim);
  throw retryLater();
}

const retryLater = (): GatewayError =>
  new GatewayError(
    'billing_unavailable',
    'the reservation was released before the task was created; nothing was created, try again',
    { retryAfterMs: 1_000 },
  );
