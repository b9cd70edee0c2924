import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { taskFailure, terminalStatuses, type TaskEvent } from '@gateway/domain';
import { newId } from '@gateway/runtime';
import * as store from '@gateway/store';
import {
  aNewTask,
  anAccount,
  openTestDatabase,
  withPlace,
  type TestDatabase,
} from '@gateway/testing';
import { aHoldRequest } from '../store/books.ts';
import { aStoredResponse } from '../../contracts/stored-response.ts';
import { aResult, contentOf, storiesOf, won } from '../store/stories.ts';
import { aSavedBatch, aUsageRecord } from '../store/usage.ts';

let test: TestDatabase;
const overHash = new Uint8Array(32).fill(7);
let scene: Scene;

const assetLimits = { wantedBytes: 100, maxBytes: 1_000 };

interface Scene {
  readonly accountId: string;
  /** A copy of a task as a paused worker holds it: somebody else has written since. */
  readonly stale: {
    readonly submit: Task;
    readonly submitting: Task;
    readonly poll: Task;
    readonly late: Task;
  };
  /** As they are now. */
  readonly terminal: readonly Task[];
  readonly settled: Task;
  /** A success within its retention time. */
  readonly keptMedia: Task;
  readonly running: Task;
  /** It has no place yet, and waits in the line of a vendor all of whose places are taken. */
  readonly inLine: Task;
  readonly draft: NewTask;
  /** Its account has no room for it. */
  readonly refused: NewTask;
  readonly key: store.IdempotencyClaim;
  readonly keyId: string;
  /** One that is over. */
  readonly sessionId: string;
  readonly batch: { readonly id: string; readonly records: Parameters<typeof aSavedBatch>[1] };
  /** The deleted one is used by a live task. */
  readonly assets: Readonly<
    Record<'ready' | 'uploading' | 'deleted', store.AssetDraft & store.AssetFacts>
  >;
  readonly applied: { readonly id: string; readonly records: Parameters<typeof aSavedBatch>[1] };
  readonly response: store.NewStoredResponse;
}

const mine = 'claim-of-the-new-one';
const old = 'claim-of-the-paused-one';
/** A vendor whose only task has its place. */
const elsewhere: Partial<NewTask> = { vendor: { ...aNewTask('').vendor, provider: 'elsewhere' } };

beforeAll(async () => {
  test = await openTestDatabase();
  const { database } = test;
  const { id: accountId } = await anAccount(database);
  const overrides = { callbackUrl: 'https://receiver.example/hook' };
  const stories = storiesOf(database, accountId);
  const moves = store.createTaskMoves(database);
  const stale = {
    submit: await withPlace(database, await stories.queued(overrides)),
    submitting: await stories.submitting(overrides),
    poll: await stories.running(overrides),
    late: await stories.ended('expired', overrides),
  };
  for (const task of Object.values(stale)) {
    won(await moves.stay(task, { step: task.step, stepFailures: 1 }));
  }
  const settled = await stories.succeeded(3, overrides);
  await store.createHolds(database).settle(settled.id);
  const callbacks = store.createCallbacks(database);
  const running = await stories.running(overrides);
  // The paused dispatcher's claim ran out, and another one holds the callback now.
  await callbacks.claim({ callbackId: running.id, token: old, forMs: 0, newChallenge: 'c' });
  await callbacks.claim({
    callbackId: running.id,
    token: mine,
    forMs: 3_600_000,
    newChallenge: 'c',
  });
  const key = { accountId, key: 'first', bodyHash: new Uint8Array(32) };
  await withPlace(database, await stories.queued(elsewhere));
  const [draft, refused] = [aNewTask(accountId), aNewTask(accountId)];
  await store
    .createHolds(database)
    .take(accountId, [aHoldRequest(accountId, { taskId: draft.id })]);
  await store.createTaskCreation(database).claimKey(key, draft.id);
  await store.createTaskCreation(database).insertTask(draft, key);
  const keyId = newId('key');
  await store.createAccounts(database).createKey({
    id: keyId,
    accountId,
    name: 'k',
    hash: new Uint8Array(32),
    prefix: 'sk',
    scopes: [],
    models: [],
    expiresAt: null,
  });
  await store.createAccounts(database).revokeKey(keyId);
  const sessionId = newId('session');
  await store
    .createSessions(database)
    .open({ id: sessionId, owner: keyId, hash: overHash, userAgent: null });
  await database.pool.query(
    `UPDATE session SET created_at = now() - interval '9 hours', expires_at = now() - interval '1 hour' WHERE id = $1`,
    [sessionId],
  );
  const use = { keyId, name: 'default', creation: 'made' };
  await store.createAgentBudgets(database).hold(use, 9, 10);
  await store.createAgentBudgets(database).made(use, { taskId: 'video_made', quota: 9 }, 10);
  await store.createLedger(database).topUpOnce({ accountId, key: 'invoice 1', quota: 7, note: '' });
  await store.createAdjustments(database).adjust(adjustment(accountId));
  const applied = await aSavedBatch(database, [
    aUsageRecord(accountId, { cost_nano: '1500000000' }),
  ]);
  await store.createMetering(database).apply(applied.id);
  await store
    .createUsageOutbox(database)
    .keepOpen({ replica: 'alive', records: [aUsageRecord(accountId)] });
  const response = aStoredResponse({ accountId });
  await store.createStoredResponses(database).keep([response]);
  const anAsset = () => ({
    id: newId('asset'),
    accountId,
    kind: 'image' as const,
    contentType: 'image/png',
    storageKey: 'assets/x',
    name: 'x',
    sizeBytes: 10,
    sha256: 'x',
    width: 1,
    height: 1,
    durationSeconds: null,
  });
  const ownAssets = { ready: anAsset(), uploading: anAsset(), deleted: anAsset() };
  for (const asset of Object.values(ownAssets)) {
    await store.createAssets(database).begin(asset, assetLimits);
  }
  await store.createAssets(database).finish(ownAssets.ready.id, ownAssets.ready, 1_000);
  await store.createAssets(database).finish(ownAssets.deleted.id, ownAssets.deleted, 1_000);
  const { request } = aNewTask(accountId);
  await stories.queued({
    request: {
      ...request,
      references: [
        {
          kind: 'image',
          role: 'first_frame',
          source: {
            type: 'asset',
            assetId: ownAssets.deleted.id,
            key: 'assets/x',
            mediaType: 'image/png',
            sizeBytes: 10,
            sha256: 'x',
          },
        },
      ],
    },
  });
  await store.createAssets(database).markDeleted(ownAssets.deleted.id, accountId);
  scene = {
    assets: ownAssets,
    accountId,
    stale,
    settled,
    running,
    keptMedia: await stories.succeeded(3),
    inLine: await stories.queued(),
    draft,
    refused,
    key,
    keyId,
    sessionId,
    applied,
    response,
    terminal: [
      settled,
      await stories.ended('failed', overrides),
      await stories.ended('expired', overrides),
      await stories.ended('cancelled', overrides),
    ],
    batch: await aSavedBatch(database, [aUsageRecord(accountId)]),
  };
  await leases().settle('alive', [{ ...oldAsk(), sequence: 5, neededNano: 9e9 }]);
});
afterAll(() => test.close());

/** Every row of every table, as one text each; asked in one statement, since there are dozens of tables. */
async function everyRow(): Promise<Record<string, string[]>> {
  const { rows: tables } = await test.database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const rowsOf = ({ name }: { readonly name: string }) =>
    `SELECT '${name}' AS name, ARRAY(SELECT t::text FROM "${name}" t ORDER BY 1) AS rows`;
  const { rows: found } = await test.database.pool.query<{ name: string; rows: string[] }>(
    tables.map(rowsOf).join(' UNION ALL '),
  );
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

const audit = (): Promise<unknown> =>
  store
    .createRunningAudit(test.database)
    .round({ graceSeconds: 60, everyMs: 3_600_000, claim: newId('usage') });
const failure = (event: TaskEvent) => ({
  step: 'done' as const,
  failure: taskFailure(
    event === 'expired' ? 'expired' : event === 'cancelled' ? 'cancelled' : 'vendor_error',
  ),
  billed: { seconds: 0, quota: 0 },
});
const moveTo = (task: Task, event: TaskEvent): Promise<unknown> => {
  const moves = store.createTaskMoves(test.database);
  if (event === 'accepted') {
    return moves.move(task, event, { changes: { step: 'poll', vendorTaskId: 'stolen' } });
  }
  if (event === 'stored') {
    return moves.move(task, event, {
      changes: { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } },
      media: [contentOf(task)],
    });
  }
  return moves.move(task, event, { changes: failure(event) });
};
const attempt = {
  id: newId('attempt'),
  sequence: 1,
  attempt: 1,
  trigger: 'auto',
  startedAt: new Date(),
  durationMs: 1,
  attemptClass: 'success',
  httpStatus: 200,
  remoteAddress: null,
  detail: null,
  answerExcerpt: null,
} as const;
const record = (progress: store.CallbackProgress) => (): Promise<unknown> =>
  store.createCallbackRecords(test.database).recordAttempt({
    callbackId: scene.running.id,
    token: old,
    attempt: { ...attempt, id: newId('attempt') },
    progress,
  });
const unlogged = (progress: store.CallbackProgress) => (): Promise<unknown> =>
  store
    .createCallbackRecords(test.database)
    .recordUnlogged({ callbackId: scene.running.id, token: old, attempt, progress });
const events = [
  'accepted',
  'stored',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly TaskEvent[];

/** A write that comes too late, or a second time, and what its caller is told. */
interface LateWrite {
  readonly what: string;
  readonly write: () => Promise<unknown>;
  readonly response: unknown;
  readonly before: () => Promise<unknown>;
}
const late = (what: string, write: () => Promise<unknown>, response: unknown): LateWrite => ({
  what,
  write,
  response,
  before: () => Promise.resolve(),
});
const after = (before: () => Promise<unknown>, lateWrite: LateWrite): LateWrite => ({
  ...lateWrite,
  before,
});

const adjustment = (accountId = scene.accountId) => ({
  accountId,
  key: 'ticket 1',
  quota: -3,
  note: 'a wrong price',
  taskId: null,
});
const steps = ['submit', 'submitting', 'poll', 'late'] as const;
const noteUse = () =>
  store.createKeyUses(test.database).save([{ keyId: scene.keyId, at: new Date() }]);
const holds = () => store.createHolds(test.database);
const creation = () => store.createTaskCreation(test.database);
const endings = () => store.createTaskEndings(test.database);
const ended = (status: Task['status']): Task =>
  scene.terminal.find((task) => task.status === status)!;
const callbacks = () => store.createCallbacks(test.database);
const assets = () => store.createAssets(test.database);
const outbox = () => store.createUsageOutbox(test.database);
const leases = () => store.createTextLeases(test.database);
/** As the scene's lease was asked for, and with a lower number. */
const oldAsk = (): store.LeaseAsk => ({
  accountId: scene.accountId,
  leaseId: 'lease_of_the_scene',
  sequence: 4,
  spentNano: 0,
  reservedNano: 0,
  neededNano: 5e9,
  leastNano: 5e9,
  spareNano: 0,
  mode: 'keep',
});
const recovery = () => store.createUsageRecovery(test.database);

const leaseSeconds = 600;
/**
 * A replica that was paused writes down as open what was booked long ago, and is not heard of
 * again.
 */
async function openLate(): Promise<void> {
  await outbox().keepOpen({ replica: 'paused', records: scene.applied.records });
  await test.database.pool.query(
    `UPDATE usage_lease SET renewed_at = now() - interval '1 hour' WHERE replica = 'paused'`,
  );
}
const noteOrphan = () =>
  store.createTaskMoves(test.database).recordExposure({
    taskId: scene.terminal[1]!.id,
    kind: 'orphan',
    provider: 'sandbox',
    vendorTaskId: null,
    detail: 'x',
  });
const sessions = () => store.createSessions(test.database);
const budgets = () => store.createAgentBudgets(test.database);
const aUse = (creation: string) => ({ keyId: scene.keyId, name: 'default', creation });
const dataKeeping = () => store.createDataKeeping(test.database);
const retention = () => store.createRetention(test.database);
const responses = () => store.createStoredResponses(test.database);
/** The media of the settled task are over their time, purged, removed and noted. */
async function purgeSettled(): Promise<void> {
  await test.database.pool.query(
    `UPDATE task SET completed_at = now() - interval '31 days' WHERE id = $1`,
    [scene.settled.id],
  );
  await retention().purgeDue(10);
  await retention().noteRemoved({ taskId: scene.settled.id, variant: 'content' });
}
const holdRefused = () =>
  holds().take(scene.accountId, [aHoldRequest(scene.accountId, { taskId: scene.refused.id })]);

const puttingOff = { stepFailures: 1, outcome: 'busy', detail: 'x', keepsSlot: true } as const;

/**
 * Every write of the store, by factory and method; one that is missing here fails the test that
 * counts them.
 */
const writes: Readonly<Record<string, readonly LateWrite[]>> = {
  'createTaskMoves.stay': steps.map((step) =>
    late(
      `with the epoch of a worker that was paused in ${step}`,
      () => store.createTaskMoves(test.database).stay(scene.stale[step], { step, stepFailures: 9 }),
      undefined,
    ),
  ),
  'createTaskMoves.claimSubmission': [
    late(
      'with the epoch of a worker that was paused',
      () => store.createTaskMoves(test.database).claimSubmission(scene.stale.submit),
      'lost',
    ),
    late(
      'of a task that is at the vendor already',
      () =>
        store
          .createTaskMoves(test.database)
          .claimSubmission({ ...scene.running, step: 'submit', status: 'queued' }),
      'lost',
    ),
    late(
      'of a task whose turn has not come',
      () => store.createTaskMoves(test.database).claimSubmission(scene.inLine),
      'lost',
    ),
  ],
  'createVendorTasks.claimForgotten': [
    late(
      'of a task that is at the vendor already',
      () => store.createVendorTasks(test.database).claimForgotten(scene.running.id),
      undefined,
    ),
    late(
      'of a task that was never made',
      () => store.createVendorTasks(test.database).claimForgotten('video_nobody'),
      undefined,
    ),
  ],
  'createTaskMoves.putOff': [
    late(
      'with the epoch of a worker that was paused',
      () => store.createTaskMoves(test.database).putOff(scene.stale.submitting, puttingOff),
      undefined,
    ),
    late(
      'of a task that is at the vendor already',
      () => store.createTaskMoves(test.database).putOff(scene.running, puttingOff),
      undefined,
    ),
  ],
  'createTaskMoves.giveBackSlot': [
    late(
      'with the epoch of a worker that was paused',
      () => store.createTaskMoves(test.database).giveBackSlot(scene.stale.submit),
      undefined,
    ),
    late(
      'of a task that is at the vendor already',
      () => store.createTaskMoves(test.database).giveBackSlot(scene.running),
      undefined,
    ),
    late(
      'of a task that has none',
      () => store.createTaskMoves(test.database).giveBackSlot(scene.inLine),
      undefined,
    ),
  ],
  'createRouteChanges.changeRoutes': [
    ...(['submit', 'submitting', 'poll'] as const).map((step) =>
      late(
        `with the epoch of a worker that was paused, at the step ${step}`,
        () => changeRoute(scene.stale[step]),
        [],
      ),
    ),
    late('of a task that is over', () => changeRoute(scene.settled), []),
    after(
      async () => {
        await changeRoute(scene.inLine, 'third');
      },
      late('a second time', () => changeRoute(scene.inLine, 'third'), []),
    ),
  ],
  'createGoneModels.heard': [
    after(
      async () => {
        await goneHeard('first');
      },
      late('by a second task within the pause', () => goneHeard('second'), false),
    ),
  ],
  'createGoneModels.beginTrial': [
    late(
      'within the pause',
      () => store.createGoneModels(test.database).beginTrial(goneRoute, 'task', 60_000),
      false,
    ),
  ],
  'createGoneModels.forget': [
    late(
      'of one that is served',
      () => store.createGoneModels(test.database).forget({ ...goneRoute, provider: 'served' }),
      false,
    ),
  ],
  'createTaskMoves.admit': [
    late(
      'while every place is taken',
      () =>
        store
          .createTaskMoves(test.database)
          .admit(scene.inLine.vendor.provider, { maxConcurrent: 1, most: 10 }),
      [],
    ),
    late(
      'of a task that has its place',
      () =>
        store.createTaskMoves(test.database).admit('elsewhere', { maxConcurrent: 10, most: 10 }),
      [],
    ),
    late(
      'at a vendor that nobody waits for',
      () => store.createTaskMoves(test.database).admit('nobody', { maxConcurrent: 10, most: 10 }),
      [],
    ),
  ],
  'createTaskMoves.move': [
    ...steps.flatMap((step) =>
      events.map((event) =>
        late(
          `${event}, with the epoch of a worker that was paused in ${step}`,
          () => moveTo(scene.stale[step], event),
          undefined,
        ),
      ),
    ),
    ...terminalStatuses.flatMap((status) =>
      events.map((event) =>
        late(
          `${event} of a task that is ${status}, with its true epoch`,
          () =>
            moveTo(
              scene.terminal.find((task) => task.status === status)!,
              event,
            ),
          undefined,
        ),
      ),
    ),
  ],
  'createTaskMoves.closeLate': [
    late(
      'with the epoch of a worker that was paused',
      () => store.createTaskMoves(test.database).closeLate(scene.stale.late),
      undefined,
    ),
    late(
      'of a task that is not watched',
      () => store.createTaskMoves(test.database).closeLate(scene.running),
      undefined,
    ),
  ],
  'createTaskMoves.recordExposure': [
    after(noteOrphan, late('a second time', noteOrphan, undefined)),
  ],
  'createCallbacks.claim': [
    late(
      'while another one holds it',
      () =>
        callbacks().claim({
          callbackId: scene.running.id,
          token: old,
          forMs: 1_000,
          newChallenge: 'mine',
        }),
      { kind: 'busy', freeInMs: expect.any(Number) },
    ),
  ],
  'createCallbacks.release': [
    late('with a claim that ran out', () => callbacks().release(scene.running.id, old), undefined),
  ],
  'createCallbacks.stopPending': [
    late(
      'with a claim that ran out',
      () => callbacks().stopPending(scene.running.id, old),
      undefined,
    ),
  ],
  'createCallbacks.abandon': [
    late('with a claim that ran out', () => callbacks().abandon(scene.running.id, old), undefined),
  ],
  'createCallbackRecords.recordAttempt': [
    late('a success, with a claim that ran out', record({ kind: 'succeeded' }), 'lost'),
    late(
      'a retry, with a claim that ran out',
      record({ kind: 'retry', failures: 1, afterMs: 1 }),
      'lost',
    ),
    late(
      'a stop, with a claim that ran out',
      record({ kind: 'stop', failures: 6, reason: 'exhausted' }),
      'lost',
    ),
  ],
  'createCallbackRecords.recordUnlogged': [
    late('a success, with a claim that ran out', unlogged({ kind: 'succeeded' }), 'lost'),
    late(
      'a stop, with a claim that ran out',
      unlogged({ kind: 'stop', failures: 6, reason: 'exhausted' }),
      'lost',
    ),
  ],
  'createCallbacks.defer': [
    late(
      'with a claim that ran out',
      () => callbacks().defer({ callbackId: scene.running.id, token: old, receiver: 'x' }),
      undefined,
    ),
  ],
  'createCallbackDeliveries.redeliver': [
    late(
      'of a task without a callback',
      () => store.createCallbackDeliveries(test.database).redeliver(scene.inLine.id),
      false,
    ),
  ],
  'createCallbackDeliveries.redeliverTask': [
    late(
      'of a task without a callback',
      () => store.createCallbackDeliveries(test.database).redeliverTask(scene.inLine.id),
      false,
    ),
  ],
  'createEndpoints.noteChallenge': [
    late(
      'of one that was removed',
      () =>
        store
          .createEndpoints(test.database)
          .noteChallenge('endpoint_gone', { attemptClass: 'success', detail: null }),
      undefined,
    ),
  ],
  'createEndpoints.change': [
    late(
      'of one that was removed',
      () => store.createEndpoints(test.database).change('endpoint_gone', scene.accountId, {}),
      undefined,
    ),
  ],
  'createEndpoints.remove': [
    late(
      'a second time',
      () => store.createEndpoints(test.database).remove('endpoint_gone', scene.accountId),
      false,
    ),
  ],
  'createCallbackSecrets.sealAll': [
    late('while there is no key', () => store.createCallbackSecrets(test.database).sealAll(), 0),
  ],
  'createHolds.take': [
    late(
      'of a task that has its hold',
      () =>
        holds().take(scene.accountId, [
          aHoldRequest(scene.accountId, { taskId: scene.running.id }),
        ]),
      [expect.objectContaining({ outcome: 'exists' })],
    ),
    late(
      'of a task whose hold was closed',
      () =>
        holds().take(scene.accountId, [
          aHoldRequest(scene.accountId, { taskId: scene.settled.id }),
        ]),
      [expect.objectContaining({ outcome: 'closed' })],
    ),
  ],
  'createHolds.takeTogether': [
    late(
      'of a task that has its hold and one whose hold was closed',
      async () => {
        const requests = [scene.running, scene.settled].map(({ id }) =>
          aHoldRequest(scene.accountId, { taskId: id }),
        );
        const decided = await holds().takeTogether([{ accountId: scene.accountId, requests }]);
        return decided.get(scene.accountId)?.map(({ outcome }) => outcome);
      },
      ['exists', 'closed'],
    ),
  ],
  'createHolds.settle': [
    late('a second time', () => holds().settle(scene.settled.id), false),
    late('of a task that is not over', () => holds().settle(scene.running.id), false),
  ],
  'createHolds.releaseOrphans': [
    late('while every hold has its task', () => holds().releaseOrphans(0), []),
  ],
  'createHolds.release': [
    late('of a task that was created after all', () => holds().release(scene.running.id), false),
    late('of a hold that was closed', () => holds().release(scene.settled.id), false),
    late('without a hold', () => holds().release(newId('task')), false),
  ],
  'createMetering.apply': [
    late(
      'of a batch that was taken',
      () => store.createMetering(test.database).apply(scene.applied.id),
      undefined,
    ),
  ],
  'createUsageOutbox.save': [
    late('a second time', () => outbox().save(scene.batch), undefined),
    late(
      'a second time, with what it closed',
      () =>
        outbox().save(
          scene.batch,
          scene.batch.records.map(({ id }) => id),
        ),
      undefined,
    ),
  ],
  'createUsageOutbox.keepOpen': [
    late(
      'of a request that is in the books, once its replica is silent',
      async () => {
        await openLate();
        await recovery().purge(leaseSeconds);
      },
      undefined,
    ),
  ],
  'createUsageRecovery.recover': [
    late(
      'while the replica lives',
      () => recovery().recover({ batchId: newId('usageBatch'), leaseSeconds, limit: 10 }),
      0,
    ),
    late(
      'of a request that is in the books',
      async () => {
        await openLate();
        const records = await recovery().recover({
          batchId: newId('usageBatch'),
          leaseSeconds,
          limit: 10,
        });
        await recovery().purge(leaseSeconds);
        return records;
      },
      0,
    ),
  ],
  'createTextLeases.renew': [
    after(
      () => leases().renew('alive'),
      late('a moment after it was renewed', () => leases().renew('alive'), undefined),
    ),
  ],
  'createTextLeases.settle': [
    late(
      'by an older ask',
      async () => void (await leases().settle('alive', [oldAsk()])),
      undefined,
    ),
  ],
  'createTextLeases.takeBack': [
    late('while the replica lives', () => leases().takeBack({ leaseSeconds, limit: 10 }), []),
  ],
  'createTextLeases.purge': [
    late('before a closed lease is old', () => leases().purge(), undefined),
  ],
  'createLedger.collectDebts': [
    late('when nothing is owed', () => store.createLedger(test.database).collectDebts(), 0),
  ],
  'createUsageRecovery.purge': [
    late('while every replica lives', () => recovery().purge(leaseSeconds), undefined),
  ],
  'createTaskCreation.claimKey': [
    late('by a second request', () => creation().claimKey(scene.key, newId('task')), {
      taskId: expect.any(String),
      sameBody: true,
      created: true,
    }),
  ],
  'createTaskCreation.dropKey': [
    late(
      'of a task that was created',
      () => creation().dropKey(scene.key, scene.draft.id),
      undefined,
    ),
    late(
      'by a request that lost it',
      () => creation().dropKey(scene.key, newId('task')),
      undefined,
    ),
  ],
  'createTaskCreation.insertTask': [
    late('a second time', () => creation().insertTask(scene.draft, undefined), undefined),
    late(
      'a second time, with its key',
      () => creation().insertTask(scene.draft, scene.key),
      undefined,
    ),
    late(
      'after its hold was closed',
      () => creation().insertTask({ ...scene.draft, id: scene.settled.id }, undefined),
      undefined,
    ),
    after(
      holdRefused,
      late(
        'of an account without room',
        () => creation().insertTask(scene.refused, undefined, 1),
        'full',
      ),
    ),
    after(
      holdRefused,
      late(
        'of an account without room, with a key',
        () => creation().insertTask(scene.refused, { ...scene.key, key: 'second' }, 1),
        'full',
      ),
    ),
    late(
      'a second time, of an account without room',
      () => creation().insertTask(scene.draft, undefined, 1),
      undefined,
    ),
    late(
      'without a hold',
      () => creation().insertTask({ ...scene.draft, id: newId('task') }, undefined),
      undefined,
    ),
  ],
  'createTaskCreation.insertTasks': [
    late('a second time', () => creation().insertTasks(scene.accountId, [scene.draft]), [
      undefined,
    ]),
    late(
      'after its hold was closed',
      () => creation().insertTasks(scene.accountId, [{ ...scene.draft, id: scene.settled.id }]),
      [undefined],
    ),
    after(
      holdRefused,
      late(
        'of an account without room',
        () => creation().insertTasks(scene.accountId, [scene.draft, scene.refused], 1),
        [undefined, 'full'],
      ),
    ),
    late(
      'without a hold',
      () => creation().insertTasks(scene.accountId, [{ ...scene.draft, id: newId('task') }]),
      [undefined],
    ),
  ],
  'createOperatorActions.cancelUnsubmitted': [
    late(
      'of a task that its vendor has',
      () => actions().cancelUnsubmitted(scene.running.id, scene.accountId),
      undefined,
    ),
    ...terminalStatuses.map((status) =>
      late(
        `of a task that is ${status}`,
        () => actions().cancelUnsubmitted(ended(status).id, scene.accountId),
        undefined,
      ),
    ),
  ],
  'createOperatorActions.requestCancel': terminalStatuses.map((status) =>
    late(
      `of a task that is ${status}`,
      () => actions().requestCancel(ended(status).id, scene.accountId),
      undefined,
    ),
  ),
  'createOperatorActions.redeliver': [
    late('of a task without a callback', () => actions().redeliver(scene.inLine.id), false),
  ],
  'createOperatorActions.redeliverTask': [
    late('of a task without a callback', () => actions().redeliverTask(scene.inLine.id), false),
  ],
  'createTaskEndings.cancelUnsubmitted': [
    late(
      'of a task that is at the vendor',
      () => endings().cancelUnsubmitted(scene.running.id, scene.accountId),
      undefined,
    ),
    ...terminalStatuses.map((status) =>
      late(
        `of a task that is ${status}`,
        () => endings().cancelUnsubmitted(ended(status).id, scene.accountId),
        undefined,
      ),
    ),
  ],
  'createTaskEndings.requestCancel': terminalStatuses.map((status) =>
    late(
      `of a task that is ${status}`,
      () => endings().requestCancel(ended(status).id, scene.accountId),
      undefined,
    ),
  ),
  'createTaskEndings.markDeleted': [
    late(
      'of a task that is not over',
      () => endings().markDeleted(scene.running.id, scene.accountId),
      'live',
    ),
    late(
      'of a task that is not settled',
      () => endings().markDeleted(ended('failed').id, scene.accountId),
      'unsettled',
    ),
    late(
      'of another account’s task',
      () => endings().markDeleted(scene.settled.id, 'acct_other'),
      'missing',
    ),
  ],
  'createRetention.purgeDue': [
    late('while every video is within its retention time', () => retention().purgeDue(10), []),
    after(
      purgeSettled,
      late('a second time', () => retention().purgeDue(10), []),
    ),
  ],
  'createRetention.noteRemoved': [
    late(
      'of media that are not purged',
      () => retention().noteRemoved({ taskId: scene.keptMedia.id, variant: 'content' }),
      undefined,
    ),
    after(
      purgeSettled,
      late(
        'a second time',
        () => retention().noteRemoved({ taskId: scene.settled.id, variant: 'content' }),
        undefined,
      ),
    ),
  ],
  'createTaskEndings.forget': [
    late('of a task that is not marked', () => endings().forget(scene.settled.id), undefined),
  ],
  'createAssets.begin': [
    late(
      'a second time',
      () => assets().begin({ ...scene.assets.ready, storageKey: 'assets/other' }, assetLimits),
      0,
    ),
  ],
  'createAssets.finish': [
    late(
      'a second time',
      () => assets().finish(scene.assets.ready.id, { ...scene.assets.ready, name: 'other' }, 1_000),
      undefined,
    ),
    late(
      'of an upload that was given up',
      () => assets().finish(scene.assets.deleted.id, scene.assets.ready, 1_000),
      undefined,
    ),
    late(
      'of more bytes than the account may have',
      () =>
        assets().finish(
          scene.assets.uploading.id,
          { ...scene.assets.ready, sizeBytes: 991 },
          1_000,
        ),
      'full',
    ),
  ],
  'createAssets.giveUp': [
    late('of an asset that is ready', () => assets().giveUp(scene.assets.ready.id), undefined),
  ],
  'createAssets.giveUpOlder': [
    late('while every upload is young', () => assets().giveUpOlder(3_600_000), 0),
  ],
  'createAssets.markDeleted': [
    late(
      'a second time',
      () => assets().markDeleted(scene.assets.deleted.id, scene.accountId),
      false,
    ),
    late(
      'of another account’s asset',
      () => assets().markDeleted(scene.assets.ready.id, 'acct_other'),
      false,
    ),
  ],
  'createAssets.forget': [
    late('of an asset that is ready', () => assets().forget(scene.assets.ready.id), undefined),
    late(
      'of a deleted asset that a live task uses',
      () => assets().forget(scene.assets.deleted.id),
      undefined,
    ),
  ],
  'createTaskCreation.purgeKeys': [
    late('while every key is young', () => creation().purgeKeys(), 0),
  ],
  'createLedger.topUpOnce': [
    late(
      'a second time',
      () =>
        store
          .createLedger(test.database)
          .topUpOnce({ accountId: scene.accountId, key: 'invoice 1', quota: 7, note: '' }),
      expect.objectContaining({ outcome: 'reused', quota: 7 }),
    ),
    late(
      'with another quota',
      () =>
        store
          .createLedger(test.database)
          .topUpOnce({ accountId: scene.accountId, key: 'invoice 1', quota: 8, note: '' }),
      expect.objectContaining({ outcome: 'reused', quota: 7 }),
    ),
  ],
  'createAdjustments.adjust': [
    late(
      'a second time',
      () => store.createAdjustments(test.database).adjust(adjustment()),
      expect.objectContaining({ outcome: 'reused' }),
    ),
    late(
      'of more than is available',
      () =>
        store.createAdjustments(test.database).adjust({ ...adjustment(), key: 'k', quota: -9e9 }),
      expect.objectContaining({ outcome: 'insufficient' }),
    ),
    late(
      'for a task of nobody',
      () =>
        store.createAdjustments(test.database).adjust({ ...adjustment(), key: 'k', taskId: 'x' }),
      expect.objectContaining({ outcome: 'unknown_task' }),
    ),
  ],
  'createStoredResponses.keep': [
    late('a second time', () => responses().keep([scene.response]), undefined),
    late(
      'with other content',
      () =>
        responses().keep([
          aStoredResponse({ ...scene.response, input: ['other'], response: { other: true } }),
        ]),
      undefined,
    ),
  ],
  'createStoredResponses.trim': [
    late(
      'while the account is within its limit',
      () => responses().trim([scene.accountId], scene.response.sizeBytes),
      0,
    ),
  ],
  'createStoredResponses.remove': [
    late(
      'of another account’s response',
      () => responses().remove({ ...scene.response, accountId: 'acct_other', maxAgeHours: 24 }),
      false,
    ),
    late(
      'of a response that has expired',
      () => responses().remove({ ...scene.response, maxAgeHours: 0 }),
      false,
    ),
  ],
  'createStoredResponses.removeOlder': [
    late('while every response is young', () => responses().removeOlder(24), 0),
  ],
  'createKeyUses.save': [
    after(
      async () => {
        await noteUse();
      },
      late('within a minute of the last time', noteUse, 0),
    ),
    late(
      'of a key that does not exist',
      () => store.createKeyUses(test.database).save([{ keyId: 'key_missing', at: new Date() }]),
      0,
    ),
  ],
  'createAccounts.revokeKey': [
    late('a second time', () => store.createAccounts(test.database).revokeKey(scene.keyId), true),
  ],
  'createOwnKeys.revoke': [
    late(
      'a second time',
      () => store.createOwnKeys(test.database).revoke(scene.keyId, scene.accountId),
      true,
    ),
    late(
      'of another account',
      () => store.createOwnKeys(test.database).revoke(scene.keyId, 'acct_nobody'),
      false,
    ),
  ],
  'createAgentBudgets.hold': [
    late('beyond the budget', () => budgets().hold(aUse('another'), 2, 10), 'exceeded'),
    late(
      'of a creation that it was set aside for',
      () => budgets().hold(aUse('made'), 9, 10),
      'known',
    ),
  ],
  'createAgentBudgets.made': [
    late(
      'a second time',
      () => budgets().made(aUse('made'), { taskId: 'video_other', quota: 1 }, 10),
      true,
    ),
  ],
  'createAgentBudgets.release': [
    late('of a creation that made something', () => budgets().release(aUse('made')), undefined),
  ],
  'createAgentBudgets.settle': [
    late('of another task', () => budgets().settle(aUse('made'), 'video_other', 1), undefined),
  ],
  'createAgentBudgets.settleGone': [
    late('of another task', () => budgets().settleGone(aUse('made'), 'video_other'), undefined),
  ],
  'createAgentBudgets.open': [
    late('of a creation that is under way', () => budgets().open(aUse('made')), {
      usedQuota: 9,
      uses: [{ creation: 'made', taskId: 'video_made' }],
    }),
  ],
  'createSessions.findKey': [
    late('of a session that is over', () => sessions().findKey(overHash), undefined),
  ],
  'createSessions.findOperator': [
    late('of a session of a key', () => sessions().findOperator(overHash), undefined),
  ],
  'createSessions.end': [
    late('of another key', () => sessions().end(scene.sessionId, 'key_nobody'), false),
    late('that there is not', () => sessions().end('session_nobody', scene.keyId), false),
  ],
  'createSessions.purge': [
    after(
      async () => {
        await sessions().purge(9);
      },
      late('a second time', () => sessions().purge(9), 0),
    ),
  ],
  'createDataKeeping.makePartitions': [
    late('that are there', () => dataKeeping().makePartitions(3), 0),
  ],
  'createDataKeeping.archiveTasks': [
    late(
      'of tasks that are not over that long',
      () => dataKeeping().archiveTasks({ days: 7, limit: 9 }),
      0,
    ),
    late(
      'of what is there already',
      () => dataKeeping().archiveTasks({ days: 5_000, limit: 9 }),
      0,
    ),
  ],
  'createDataKeeping.archiveDeletedTasks': [
    late(
      'of tasks that are not over that long',
      () => dataKeeping().archiveDeletedTasks({ days: 7, limit: 9 }),
      0,
    ),
  ],
  'createDataKeeping.rollUpExposures': [
    late(
      'of exposures that are not that old',
      () => dataKeeping().rollUpExposures({ days: 90, limit: 9 }),
      0,
    ),
  ],
  'createDataKeeping.sumUpUncollected': [
    late(
      'of a month that is not over',
      () => dataKeeping().sumUpUncollected({ days: 31, limit: 9 }),
      0,
    ),
  ],
  'createDataKeeping.rollUpUsage': [
    late('of a month that is not over', () => dataKeeping().rollUpUsage(31), undefined),
  ],
  'createDataKeeping.dropArchive': [
    late('of a month that is not over', () => dataKeeping().dropArchive(90), undefined),
  ],
  'createDataKeeping.dropLedger': [
    late('of a month that is not over', () => dataKeeping().dropLedger(400), undefined),
  ],
  'createDataKeeping.closeLedger': [
    late('of a month that is not over', () => dataKeeping().closeLedger(), undefined),
  ],
  'createReplicaReports.leave': [
    late(
      'of a replica that has left',
      () => store.createReplicaReports(test.database).leave('nobody'),
      undefined,
    ),
  ],
  'createRunningAudit.round': [
    after(
      async () => {
        await audit();
      },
      late('when another replica has had the turn', audit, undefined),
    ),
  ],
};

function changeRoute(task: Task, provider = 'second'): Promise<Task[]> {
  const { taskId: _none, ...to } = { ...task.vendor, provider, upstreamModel: 'other' };
  return store
    .createRouteChanges(test.database)
    .changeRoutes([{ task, to, because: 'not_sent', outcome: 'not_sent' }]);
}

const actions = () => store.createOperatorActions(test.database, 'api');
const goneRoute = { provider: 'gone', upstreamModel: 'model-1' };
const goneHeard = (taskId: string): Promise<boolean> =>
  store.createGoneModels(test.database).heard(goneRoute, {
    taskId,
    detail: 'no such model',
    pause: { firstMs: 600_000, maxMs: 600_000 },
  });

/** Said by a person, each time anew: there is nothing that could be stale. */
const operatorWrites = [
  'createRecordedAudit.run',
  'createAccounts.create',
  'createAccounts.createKey',
  'createEndpoints.create',
  'createOperatorActions.changeAccount',
  'createOperatorActions.changeKey',
  'createOwnKeys.create',
  'createSessions.open',
  'createCallbackSecrets.rotate',
  'createInstallation.allowSweep',
  'createLedger.topUp',
  ...['openAccount', 'makeKey', 'topUp', 'adjust', 'rotateSecret'].map(
    (method) => `createAdministration.${method}`,
  ),
];

/** Said by each replica of itself, anew every ten seconds: nothing decides by it. */
const repeatedWrites = ['createReplicaReports.note'];

/** Called with nothing of value, where nothing can be written. */
const reads: Readonly<Record<string, (database: store.Database) => Promise<unknown>>> = {
  'createAdjustments.preview': (database) =>
    store.createAdjustments(database).preview(adjustment('acct_nobody')),
  'createSessions.find': (database) => store.createSessions(database).find('x', 'y'),
  'createSessions.page': (database) =>
    store.createSessions(database).page({ owner: 'x', limit: 1 }),
  'createEventFeed.newest': (database) => store.createEventFeed(database).newest(),
  'createEventFeed.after': (database) => store.createEventFeed(database).after(0, ['x']),
  'createOperatorFeed.newest': (database) => store.createOperatorFeed(database).newest(),
  'createOperatorFeed.after': (database) => store.createOperatorFeed(database).after(0, 10),
  'createOperatorFeed.forget': (database) => {
    store.createOperatorFeed(database).forget();
    return Promise.resolve();
  },
  'createTaskTimelines.find': (database) => store.createTaskTimelines(database).find('x', 'y'),
  'createTaskCallbacks.page': (database) =>
    store.createTaskCallbacks(database).page({ accountId: 'x', limit: 1 }),
  'createTaskCallbacks.pageOfAll': (database) =>
    store.createTaskCallbacks(database).pageOfAll({ limit: 1 }),
  'createTaskLists.search': (database) =>
    store.createTaskLists(database).search({ accountId: 'x', limit: 1 }, { words: ['y'] }),
  'createUsageReads.byHour': (database) =>
    store
      .createUsageReads(database)
      .byHour({ accountId: 'x', from: '2026-01-01', to: '2026-01-02' }, 1),
  'createAccountReads.find': (database) => store.createAccountReads(database).find('x'),
  'createAccountReads.page': (database) => store.createAccountReads(database).page({ limit: 1 }),
  'createAccountReads.keys': (database) =>
    store.createAccountReads(database).keys({ accountId: 'x', limit: 1 }),
  'createAccountReads.findKey': (database) => store.createAccountReads(database).findKey('x'),
  'createTaskOverviews.page': (database) => store.createTaskOverviews(database).page({ limit: 1 }),
  'createAccounts.exists': (database) => store.createAccounts(database).exists('x'),
  'createAccounts.findKeyByHash': (database) =>
    store.createAccounts(database).findKeyByHash(new Uint8Array(32)),
  'createAccounts.findKeysByHash': (database) =>
    store.createAccounts(database).findKeysByHash([new Uint8Array(32)]),
  'createCallbackDeliveries.summary': (database) =>
    store.createCallbackDeliveries(database).summary('x'),
  'createCallbackDeliveries.endpointSummaries': (database) =>
    store.createCallbackDeliveries(database).endpointSummaries('x'),
  'createEndpoints.page': (database) =>
    store.createEndpoints(database).page({ accountId: 'x', limit: 1 }),
  'createEndpoints.find': (database) => store.createEndpoints(database).find('x', 'y'),
  'createCallbackDeliveries.attempts': (database) =>
    store.createCallbackDeliveries(database).attempts({ taskId: 'x', limit: 1 }),
  'createCallbackSecrets.valid': (database) => store.createCallbackSecrets(database).valid('x'),
  'createCallbacks.findAsked': (database) => store.createCallbacks(database).findAsked(1),
  'createNamedFiles.pages': (database) => store.createNamedFiles(database).pages().next(),
  'createNamedFiles.stillNamed': (database) =>
    store.createNamedFiles(database).stillNamed([{ id: 'x', key: 'y' }]),
  'createInstallation.id': (database) => store.createInstallation(database).id(),
  'createInstallation.countKnown': (database) =>
    store.createInstallation(database).countKnown(['x']),
  'createInstallation.sweepAllowance': (database) =>
    store.createInstallation(database).sweepAllowance(),
  'createAssets.findOwn': (database) => store.createAssets(database).findOwn(['x'], 'y'),
  'createAssets.page': (database) =>
    store.createAssets(database).page({ accountId: 'x', limit: 1 }),
  'createAssets.findServed': (database) => store.createAssets(database).findServed('x'),
  'createAssets.findRemovable': (database) =>
    store.createAssets(database).findRemovable({ limit: 1 }),
  'createSourceVideos.findSources': (database) =>
    store.createSourceVideos(database).findSources(['x'], 'y'),
  'createSourceVideos.findSourceFile': (database) =>
    store.createSourceVideos(database).findSourceFile('x', 'content'),
  'createCallbacks.dueAmong': (database) => store.createCallbacks(database).dueAmong(['x']),
  'createCallbacks.findDue': (database) =>
    store.createCallbacks(database).findDue({ after: '', accounts: 1, perAccount: 1, graceMs: 0 }),
  'createCallbacks.findWaitedFor': (database) =>
    store.createCallbacks(database).findWaitedFor({ after: '', limit: 1 }),
  'createCallbacks.findWaiting': (database) =>
    store.createCallbacks(database).findWaiting([{ receiver: 'x', limit: 1 }]),
  'createTaskDetails.find': (database) => store.createTaskDetails(database).find('x'),
  'createJournal.page': (database) => store.createJournal(database).page({ limit: 1 }),
  'createGoneModels.all': (database) => store.createGoneModels(database).all(),
  'createExposureLists.page': (database) =>
    store.createExposureLists(database).page({
      limit: 1,
      kind: undefined,
      provider: undefined,
      accountId: undefined,
      taskId: undefined,
    }),
  'createReplicaReports.live': (database) => store.createReplicaReports(database).live(),
  'createStatusReads.read': (database) => store.createStatusReads(database).read(),
  'createDueWork.firstSubmissions': (database) => store.createDueWork(database).firstSubmissions(),
  'createDueWork.vendorQueues': (database) => store.createDueWork(database).vendorQueues(),
  'createDueWork.pushes': (database) => store.createDueWork(database).pushes(),
  'createDueWork.settlements': (database) => store.createDueWork(database).settlements(),
  'createDueWork.usageBatches': (database) => store.createDueWork(database).usageBatches(),
  'createHolds.findUnsettled': (database) => store.createHolds(database).findUnsettled(1),
  'createLedger.balanceOf': (database) => store.createLedger(database).balanceOf('x'),
  'createLedger.verify': (database) => store.createLedger(database).verify({ graceSeconds: 60 }),
  'createLedger.countExposures': (database) => store.createLedger(database).countExposures(),
  'createRunningAudit.state': (database) => store.createRunningAudit(database).state(),
  'createLedger.totals': (database) => store.createLedger(database).totals(),
  'createMarginReads.ofPeriod': (database) =>
    store.createMarginReads(database).ofPeriod({ from: '2026-01-01', to: '2026-01-02' }),
  'createLedgerReads.page': (database) =>
    store.createLedgerReads(database).page({ accountId: 'x', limit: 1 }),
  'createLedgerReads.statement': (database) =>
    store.createLedgerReads(database).statement({ accountId: 'x' }),
  'createMetering.findUnapplied': (database) => store.createMetering(database).findUnapplied(1),
  'createStoredResponseReads.conversation': (database) =>
    store.createStoredResponseReads(database).conversation({
      accountId: 'x',
      responseId: 'y',
      maxAgeHours: 1,
      maxResponses: 1,
      maxBytes: 1,
    }),
  'createStoredResponseReads.items': (database) =>
    store
      .createStoredResponseReads(database)
      .items({ accountId: 'x', itemIds: ['y'], maxAgeHours: 1, maxBytes: 1 }),
  'createStoredResponseReads.find': (database) =>
    store
      .createStoredResponseReads(database)
      .find({ accountId: 'x', responseId: 'y', maxAgeHours: 1 }),
  'createStoredResponseReads.inputPage': (database) =>
    store
      .createStoredResponseReads(database)
      .inputPage({ accountId: 'x', responseId: 'y', maxAgeHours: 1, limit: 1, order: 'asc' }),
  'createTaskCreation.countActive': (database) =>
    store.createTaskCreation(database).countActive('x'),
  'createTaskLists.page': (database) =>
    store.createTaskLists(database).page({ accountId: 'x', limit: 1 }),
  'createTaskLists.queuePositions': (database) =>
    store.createTaskLists(database).queuePositions(['x']),
  'createTaskLists.events': (database) => store.createTaskLists(database).events('x'),
  'createTaskLists.news': (database) =>
    store.createTaskLists(database).news([{ taskId: 'x', sequence: 0 }]),
  'createTaskReads.find': (database) => store.createTaskReads(database).find('x'),
  'createTaskReads.findForAccount': (database) =>
    store.createTaskReads(database).findForAccount('x', 'y'),
  'createTaskReads.findOrArchived': (database) =>
    store.createTaskReads(database).findOrArchived('x', 'y'),
  'createDataKeeping.sizes': (database) => store.createDataKeeping(database).sizes(),
  'createDataKeeping.partitions': (database) => store.createDataKeeping(database).partitions(),
  'createTaskReads.findMedia': (database) =>
    store.createTaskReads(database).findMedia('x', 'content'),
  'createTaskTries.ofTasks': (database) => store.createTaskTries(database).ofTasks(['x']),
  'createWork.waitingTasks': (database) =>
    store.createWork(database).waitingTasks('x', { limit: 1 }),
  'createTaskTries.ofTask': (database) => store.createTaskTries(database).ofTask('x'),
  'createVendorTasks.compare': (database) =>
    store.createVendorTasks(database).compare('x', [{ vendorTaskId: 'x', taskId: 'x' }]),
  'createRetention.findPurged': (database) =>
    store.createRetention(database).findPurged({ limit: 1 }),
  'createRetention.findOrphans': (database) =>
    store.createRetention(database).findOrphans(['videos/x']),
  'createTaskEndings.findDeleted': (database) =>
    store.createTaskEndings(database).findDeleted({ limit: 1 }),
  'createTaskReads.findEvenDeleted': (database) =>
    store.createTaskReads(database).findEvenDeleted('x'),
  'createTextLeases.debtors': (database) => store.createTextLeases(database).debtors('x'),
  'createTextLeases.findOpen': (database) =>
    store.createTextLeases(database).findOpen('x', { after: '', limit: 1 }),
  'createUsageOutbox.findOpen': (database) => store.createUsageOutbox(database).findOpen(['x']),
  'createUsageReads.byDay': (database) =>
    store
      .createUsageReads(database)
      .byDay({ accountId: 'x', from: '2026-01-01', to: '2026-01-02' }),
  'createWork.unfinishedTasks': (database) => store.createWork(database).unfinishedTasks('', 1),
  'createWork.polledTasks': (database) =>
    store
      .createWork(database)
      .polledTasks({ provider: 'x', baseUrl: 'y' }, { after: '', skip: 0, limit: 1 }),
  'createWork.countAtVendor': (database) => store.createWork(database).countAtVendor('x'),
  'createWork.overdueInQueue': (database) => store.createWork(database).overdueInQueue(1),
  'createWork.usualDurationMs': (database) => store.createWork(database).usualDurationMs('x'),
};

describe('a write that comes too late or twice', () => {
  it.each(
    Object.entries(writes).flatMap(([name, cases]) =>
      cases.map((one) => [name, one.what, one] as const),
    ),
  )('changes nothing: %s %s', async (_name, _what, { before: first, write, response }) => {
    await first();
    const before = await everyRow();

    expect(await write()).toEqual(response);

    expect(await everyRow()).toEqual(before);
  });

  it('is tried for every write that there is', () => {
    const factories = Object.entries(store).filter(
      ([name]) => name.startsWith('create') && name !== 'createDatabase',
    ) as unknown as [string, (database: store.Database) => object][];
    const methods = factories.flatMap(([name, create]) =>
      Object.keys(create(test.database)).map((method) => `${name}.${method}`),
    );

    expect(
      [...Object.keys(writes), ...operatorWrites, ...repeatedWrites, ...Object.keys(reads)].sort(),
    ).toEqual(methods.sort());
  });
});

describe('a read', () => {
  let readOnly: store.Database;
  beforeAll(() => {
    const url = new URL(test.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    readOnly = store.createDatabase({
      url: url.href,
      applicationName: 'read only',
      poolSize: 1,
      onError: () => undefined,
    });
  });
  afterAll(() => readOnly.part.stop());

  it.each(Object.entries(reads))('hides no write: %s', async (_name, read) => {
    await expect(readOnly.pool.query(`UPDATE account SET name = 'x'`)).rejects.toMatchObject({
      code: '25006',
    });
    await expect(read(readOnly).then(() => 'read')).resolves.toBe('read');
  });
});
