import type { NewTask } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import * as store from '@gateway/store';
import { aNewTask, aQueuedTask, withPlace } from '@gateway/testing';
import { aHoldRequest } from '../../integration/store/books.ts';
import { aStoredResponse } from '../../contracts/stored-response.ts';
import { contentOf, aResult, storiesOf, won } from '../../integration/store/stories.ts';
import { aSavedBatch, aUsageRecord } from '../../integration/store/usage.ts';
import { accountCalls } from './account-calls.ts';
import { operatorCalls } from './operator-calls.ts';
import { call, type Call, type Scene } from './scene.ts';

const hook: Partial<NewTask> = { callbackUrl: 'https://receiver.example/hook' };
const stories = ({ database, accountId }: Scene) => storiesOf(database, accountId);
const moves = ({ database }: Scene) => store.createTaskMoves(database);
const callbacks = ({ database }: Scene) => store.createCallbacks(database);
const holds = ({ database }: Scene) => store.createHolds(database);
const assets = ({ database }: Scene) => store.createAssets(database);
const leases = ({ database }: Scene) => store.createTextLeases(database);
const dataKeeping = ({ database }: Scene) => store.createDataKeeping(database);
const responses = ({ database }: Scene) => store.createStoredResponses(database);
const responseReads = ({ database }: Scene) => store.createStoredResponseReads(database);
/** One that is kept, and what reads it. */
async function kept(scene: Scene) {
  const response = aStoredResponse(scene);
  await responses(scene).keep([response]);
  return { ...response, maxAgeHours: 24 };
}

async function held({ database, accountId }: Scene): Promise<NewTask> {
  const draft = aNewTask(accountId);
  await store
    .createHolds(database)
    .take(accountId, [aHoldRequest(accountId, { taskId: draft.id })]);
  return draft;
}

async function settled(scene: Scene): Promise<string> {
  const { id } = await stories(scene).succeeded(3, hook);
  await holds(scene).settle(id);
  return id;
}

async function claimed(scene: Scene): Promise<{ callbackId: string; token: string }> {
  const { id: callbackId } = await stories(scene).running(hook);
  const token = newId('usage');
  await callbacks(scene).claim({ callbackId, token, forMs: 60_000, newChallenge: 'c' });
  return { callbackId, token };
}

const attempt = () =>
  ({
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
  }) as const;

const claimOf = ({ accountId }: Scene): store.IdempotencyClaim => ({
  accountId,
  key: newId('usage'),
  bodyHash: new Uint8Array(32),
});

const adjustment = ({ accountId }: Scene) => ({
  accountId,
  key: newId('usage'),
  quota: 1,
  note: 'x',
  taskId: null,
});

const lease = ({ accountId }: Scene): store.LeaseAsk => ({
  accountId,
  leaseId: newId('lease'),
  sequence: 1,
  spentNano: 0,
  reservedNano: 0,
  neededNano: 1e9,
  leastNano: 1e9,
  spareNano: 0,
  mode: 'keep',
});

/** What requests wait for. */
const requests: Readonly<Record<string, Call>> = {
  'createAccounts.exists': call((s) => store.createAccounts(s.database).exists(s.accountId)),
  'createAccounts.findKeyByHash': call((s) =>
    store.createAccounts(s.database).findKeyByHash(new Uint8Array(32)),
  ),
  'createAccounts.findKeysByHash': call((s) =>
    store.createAccounts(s.database).findKeysByHash([new Uint8Array(32)]),
  ),
  'createAccountReads.find': call((s) => store.createAccountReads(s.database).find(s.accountId)),
  'createAccountReads.findKey': call((s) => store.createAccountReads(s.database).findKey(s.keyId)),
  'createAccountReads.keys': call((s) =>
    store.createAccountReads(s.database).keys({ accountId: s.accountId, limit: 20 }),
  ),
  'createAccountReads.page': call((s) => store.createAccountReads(s.database).page({ limit: 20 })),
  'createAdjustments.adjust': call((s) =>
    store.createAdjustments(s.database).adjust(adjustment(s)),
  ),
  'createAdjustments.preview': call((s) =>
    store.createAdjustments(s.database).preview(adjustment(s)),
  ),
  'createCallbackDeliveries.summary': call((s) =>
    store.createCallbackDeliveries(s.database).summary(s.finishedId),
  ),
  'createCallbackDeliveries.endpointSummaries': call((s) =>
    store.createCallbackDeliveries(s.database).endpointSummaries(s.finishedId),
  ),
  'createCallbackDeliveries.attempts': call((s) =>
    store.createCallbackDeliveries(s.database).attempts({ taskId: s.finishedId, limit: 20 }),
  ),
  'createCallbackDeliveries.redeliverTask': async (s) => {
    const { id: taskId } = await stories(s).running(hook);
    return () => store.createCallbackDeliveries(s.database).redeliverTask(taskId);
  },
  'createCallbackDeliveries.redeliver': async (s) => {
    const taskId = await settled(s);
    return () => store.createCallbackDeliveries(s.database).redeliver(taskId);
  },
  'createCallbackSecrets.valid': call((s) =>
    store.createCallbackSecrets(s.database).valid(s.accountId),
  ),
  'createKeyUses.save': call((s) =>
    store.createKeyUses(s.database).save([{ keyId: s.keyId, at: new Date() }]),
  ),
  'createLedger.topUp': call((s) => store.createLedger(s.database).topUp(s.accountId, 1, 'x')),
  'createLedger.topUpOnce': call((s) =>
    store.createLedger(s.database).topUpOnce({ ...adjustment(s) }),
  ),
  'createLedger.balanceOf': call((s) => store.createLedger(s.database).balanceOf(s.accountId)),
  'createLedgerReads.page': call((s) =>
    store.createLedgerReads(s.database).page({ accountId: s.accountId, limit: 20 }),
  ),
  'createStoredResponseReads.conversation': async (s) => {
    const response = await kept(s);
    return () =>
      responseReads(s).conversation({ ...response, maxResponses: 100, maxBytes: 1_000_000 });
  },
  'createStoredResponseReads.items': async (s) => {
    const response = await kept(s);
    const itemIds = response.items.map(({ itemId }) => itemId ?? '');
    return () => responseReads(s).items({ ...response, itemIds, maxBytes: 1_000_000 });
  },
  'createStoredResponseReads.find': async (s) => {
    const response = await kept(s);
    return () => responseReads(s).find(response);
  },
  'createStoredResponseReads.inputPage': async (s) => {
    const response = await kept(s);
    return () => responseReads(s).inputPage({ ...response, limit: 20, order: 'desc' });
  },
  'createStoredResponses.remove': async (s) => {
    const response = await kept(s);
    return () => responses(s).remove(response);
  },
  'createTaskCreation.claimKey': call((s) =>
    store.createTaskCreation(s.database).claimKey(claimOf(s), newId('task')),
  ),
  'createTaskCreation.dropKey': call((s) =>
    store.createTaskCreation(s.database).dropKey(claimOf(s), newId('task')),
  ),
  'createTaskCreation.insertTask': async (s) => {
    const [plain, keyed] = [await held(s), await held(s)];
    const creation = store.createTaskCreation(s.database);
    return async () => {
      won(await creation.insertTask(plain, undefined));
      won(await creation.insertTask(keyed, claimOf(s)));
    };
  },
  'createTaskCreation.insertTasks': async (s) => {
    const drafts = [await held(s), await held(s)];
    return () => store.createTaskCreation(s.database).insertTasks(s.accountId, drafts, 1_000_000);
  },
  'createTaskCreation.countActive': call((s) =>
    store.createTaskCreation(s.database).countActive(s.accountId),
  ),
  'createTaskEndings.cancelUnsubmitted': async (s) => {
    const { id } = await stories(s).queued();
    return () => store.createTaskEndings(s.database).cancelUnsubmitted(id, s.accountId);
  },
  'createTaskEndings.requestCancel': async (s) => {
    const { id } = await stories(s).running();
    return () => store.createTaskEndings(s.database).requestCancel(id, s.accountId);
  },
  'createTaskEndings.markDeleted': async (s) => {
    const id = await settled(s);
    return () => store.createTaskEndings(s.database).markDeleted(id, s.accountId);
  },
  'createTaskLists.page': call(async (s) => {
    const lists = store.createTaskLists(s.database);
    const page = { accountId: s.accountId, limit: 20 };
    await lists.page(page);
    await lists.page({ ...page, after: s.finishedId });
    await lists.page({ ...page, status: 'running' });
    await lists.page({ ...page, status: 'failed' });
    await lists.page({ ...page, model: 'unknown' });
  }),
  'createTaskLists.queuePositions': async (s) => {
    const { id } = await stories(s).queued();
    return () => store.createTaskLists(s.database).queuePositions([id, s.finishedId]);
  },
  'createTaskLists.events': call((s) => store.createTaskLists(s.database).events(s.finishedId)),
  'createTaskLists.news': call((s) =>
    store.createTaskLists(s.database).news([{ taskId: s.finishedId, sequence: 1 }]),
  ),
  'createSourceVideos.findSources': call((s) =>
    store.createSourceVideos(s.database).findSources([s.finishedId], s.accountId),
  ),
  'createSourceVideos.findSourceFile': call((s) =>
    store.createSourceVideos(s.database).findSourceFile(s.finishedId, 'content'),
  ),
  'createTaskReads.find': call((s) => store.createTaskReads(s.database).find(s.finishedId)),
  'createTaskReads.findEvenDeleted': call((s) =>
    store.createTaskReads(s.database).findEvenDeleted(s.finishedId),
  ),
  'createTaskReads.findForAccount': call((s) =>
    store.createTaskReads(s.database).findForAccount(s.finishedId, s.accountId),
  ),
  'createTaskReads.findOrArchived': call(async (s) => {
    const reads = store.createTaskReads(s.database);
    const { archivedId, accountId } = s;
    const found = [s.finishedId, archivedId, newId('task')].map((id) =>
      reads.findOrArchived(id, accountId),
    );
    if ((await Promise.all(found))[1] === undefined) throw new Error('nothing is archived');
  }),
  'createTaskReads.findMedia': call((s) =>
    store.createTaskReads(s.database).findMedia(s.finishedId, 'content'),
  ),
  'createTaskTries.ofTask': call((s) => store.createTaskTries(s.database).ofTask(s.finishedId)),
  'createTaskTries.ofTasks': call((s) => store.createTaskTries(s.database).ofTasks([s.finishedId])),
  'createMarginReads.ofPeriod': call((s) => {
    const day = new Date().toISOString().slice(0, 10);
    return store.createMarginReads(s.database).ofPeriod({ from: day, to: day });
  }),
  'createUsageReads.byDay': call((s) => {
    const day = new Date().toISOString().slice(0, 10);
    return store.createUsageReads(s.database).byDay({ accountId: s.accountId, from: day, to: day });
  }),
};

/** What workers do for a task, a callback or a batch of usage. */
const work: Readonly<Record<string, Call>> = {
  'createCallbacks.claim': async (s) => {
    const { id: taskId } = await stories(s).running(hook);
    return () =>
      callbacks(s).claim({ callbackId: taskId, token: 't', forMs: 60_000, newChallenge: 'c' });
  },
  'createCallbacks.release': async (s) => {
    const { callbackId, token } = await claimed(s);
    return () => callbacks(s).release(callbackId, token);
  },
  'createCallbacks.defer': async (s) => {
    const claim = await claimed(s);
    return () => callbacks(s).defer({ ...claim, receiver: 'receiver.example' });
  },
  'createCallbacks.stopPending': async (s) => {
    const { callbackId, token } = await claimed(s);
    return () => callbacks(s).stopPending(callbackId, token);
  },
  'createCallbacks.abandon': async (s) => {
    const { callbackId, token } = await claimed(s);
    return () => callbacks(s).abandon(callbackId, token);
  },
  'createCallbackRecords.recordAttempt': async (s) => {
    const claim = await claimed(s);
    return () =>
      store
        .createCallbackRecords(s.database)
        .recordAttempt({ ...claim, attempt: attempt(), progress: { kind: 'succeeded' } });
  },
  'createCallbackRecords.recordUnlogged': async (s) => {
    const claim = await claimed(s);
    return () =>
      store
        .createCallbackRecords(s.database)
        .recordUnlogged({ ...claim, attempt: attempt(), progress: { kind: 'succeeded' } });
  },
  'createHolds.take': call((s) => holds(s).take(s.accountId, [aHoldRequest(s.accountId)])),
  'createHolds.takeTogether': call((s) =>
    holds(s).takeTogether([{ accountId: s.accountId, requests: [aHoldRequest(s.accountId)] }]),
  ),
  'createHolds.settle': async (s) => {
    const { id } = await stories(s).succeeded(3);
    return () => holds(s).settle(id);
  },
  'createHolds.release': async (s) => {
    const { id } = await held(s);
    return () => holds(s).release(id);
  },
  'createMetering.apply': async (s) => {
    const { id } = await aSavedBatch(s.database, [aUsageRecord(s.accountId)]);
    return () => store.createMetering(s.database).apply(id);
  },
  'createStoredResponses.keep': call((s) => responses(s).keep([aStoredResponse(s)])),
  'createStoredResponses.trim': async (s) => {
    const response = await kept(s);
    return () => responses(s).trim([s.accountId], response.sizeBytes);
  },
  'createTaskMoves.stay': async (s) => {
    const task = await stories(s).running();
    return () => moves(s).stay(task, { step: 'poll', stepFailures: 1 });
  },
  'createTaskMoves.admit': async (s) => {
    await stories(s).queued();
    return () => moves(s).admit('sandbox', { maxConcurrent: 1_000, most: 1 });
  },
  'createTaskMoves.claimSubmission': async (s) => {
    const task = await withPlace(s.database, await stories(s).queued());
    return async () => won(await moves(s).claimSubmission(task));
  },
  'createTaskMoves.putOff': async (s) => {
    const task = await stories(s).submitting();
    const change = { stepFailures: 1, outcome: 'busy', detail: 'x', keepsSlot: true } as const;
    return () => moves(s).putOff(task, change);
  },
  'createTaskMoves.giveBackSlot': async (s) => {
    const task = await withPlace(s.database, await stories(s).queued());
    return () => moves(s).giveBackSlot(task);
  },
  'createTaskMoves.move': async (s) => {
    const task = await stories(s).running(hook);
    const changes = { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } } as const;
    return async () =>
      won(await moves(s).move(task, 'stored', { changes, media: [contentOf(task)] }));
  },
  'createTaskMoves.closeLate': async (s) => {
    const task = await stories(s).ended('expired');
    return () => moves(s).closeLate(task);
  },
  'createTaskMoves.recordExposure': async (s) => {
    const { id: taskId } = await stories(s).ended('failed');
    const exposure = { taskId, kind: 'orphan', provider: 'sandbox', vendorTaskId: null } as const;
    return () => moves(s).recordExposure({ ...exposure, detail: 'x' });
  },
  'createRouteChanges.changeRoutes': async (s) => {
    const task = await withPlace(s.database, await stories(s).queued());
    const { taskId: _taskId, ...vendor } = task.vendor;
    const change = {
      task,
      to: { ...vendor, provider: 'another' },
      because: 'busy',
      outcome: 'busy',
    } as const;
    return async () => {
      const [moved] = await store.createRouteChanges(s.database).changeRoutes([change]);
      return won(moved);
    };
  },
  'createTextLeases.renew': call((s) => leases(s).renew(newId('usage'))),
  'createTextLeases.settle': call(async (s) => {
    await leases(s).renew('alive');
    return leases(s).settle('alive', [lease(s)]);
  }),
  'createTextLeases.debtors': call((s) => leases(s).debtors('alive')),
  'createTextLeases.findOpen': call((s) => leases(s).findOpen('alive', { after: '', limit: 500 })),
  'createUsageOutbox.save': call((s) => aSavedBatch(s.database, [aUsageRecord(s.accountId)])),
  'createUsageOutbox.keepOpen': call((s) =>
    store
      .createUsageOutbox(s.database)
      .keepOpen({ replica: 'alive', records: [aUsageRecord(s.accountId)] }),
  ),
  'createUsageOutbox.findOpen': call((s) =>
    store.createUsageOutbox(s.database).findOpen([newId('usage'), newId('usage')]),
  ),
};

/** What reconcilers, sweeps and gauges ask, again and again. */
const sweeps: Readonly<Record<string, Call>> = {
  'createAssets.forget': call((s) => assets(s).forget('asset_nobody')),
  'createAssets.findRemovable': call((s) => assets(s).findRemovable({ limit: 100 })),
  'createAssets.giveUpOlder': call((s) => assets(s).giveUpOlder(60_000)),
  'createCallbacks.dueAmong': call((s) => callbacks(s).dueAmong([s.finishedId])),
  'createCallbacks.findDue': call((s) =>
    callbacks(s).findDue({ after: '', accounts: 100, perAccount: 5, graceMs: 60_000 }),
  ),
  'createCallbacks.findWaitedFor': call((s) =>
    callbacks(s).findWaitedFor({ after: '', limit: 100 }),
  ),
  'createCallbacks.findWaiting': call((s) =>
    callbacks(s).findWaiting([{ receiver: 'receiver.example', limit: 10 }]),
  ),
  'createCallbacks.findAsked': call((s) => callbacks(s).findAsked(500)),
  'createDueWork.firstSubmissions': call((s) => store.createDueWork(s.database).firstSubmissions()),
  'createDueWork.vendorQueues': call((s) => store.createDueWork(s.database).vendorQueues()),
  'createDueWork.pushes': call((s) => store.createDueWork(s.database).pushes()),
  'createDueWork.settlements': call((s) => store.createDueWork(s.database).settlements()),
  'createDueWork.usageBatches': call((s) => store.createDueWork(s.database).usageBatches()),
  'createHolds.findUnsettled': call((s) => holds(s).findUnsettled(500)),
  'createHolds.releaseOrphans': call((s) => holds(s).releaseOrphans(60)),
  'createInstallation.countKnown': call((s) =>
    store.createInstallation(s.database).countKnown([s.finishedId]),
  ),
  'createLedger.collectDebts': call((s) => store.createLedger(s.database).collectDebts()),
  'createLedger.totals': call((s) => store.createLedger(s.database).totals()),
  'createMetering.findUnapplied': call((s) => store.createMetering(s.database).findUnapplied(100)),
  'createNamedFiles.stillNamed': call((s) =>
    store.createNamedFiles(s.database).stillNamed([{ id: s.finishedId, key: 'videos/2' }]),
  ),
  'createNamedFiles.pages': call((s) => store.createNamedFiles(s.database).pages().next()),
  'createDataKeeping.makePartitions': call((s) => dataKeeping(s).makePartitions(3)),
  'createDataKeeping.partitions': call((s) => dataKeeping(s).partitions()),
  'createDataKeeping.sizes': call((s) => dataKeeping(s).sizes()),
  'createDataKeeping.archiveTasks': call(async (s) => {
    const moved = await dataKeeping(s).archiveTasks({ days: 7, limit: 5 });
    if (moved !== 5) throw new Error(`${moved} tasks were archived`);
  }),
  'createDataKeeping.archiveDeletedTasks': call((s) =>
    dataKeeping(s).archiveDeletedTasks({ days: 7, limit: 5 }),
  ),
  'createDataKeeping.rollUpExposures': call((s) =>
    dataKeeping(s).rollUpExposures({ days: 90, limit: 5 }),
  ),
  'createDataKeeping.sumUpUncollected': call((s) =>
    dataKeeping(s).sumUpUncollected({ days: 31, limit: 5 }),
  ),
  'createDataKeeping.rollUpUsage': call((s) => dataKeeping(s).rollUpUsage(31)),
  'createDataKeeping.dropArchive': call((s) => dataKeeping(s).dropArchive(90)),
  'createDataKeeping.dropLedger': call((s) => dataKeeping(s).dropLedger(400)),
  'createDataKeeping.closeLedger': call((s) => dataKeeping(s).closeLedger()),
  'createRetention.purgeDue': call((s) => store.createRetention(s.database).purgeDue(100)),
  'createRetention.findPurged': call((s) =>
    store.createRetention(s.database).findPurged({ limit: 100 }),
  ),
  'createRetention.noteRemoved': call((s) =>
    store.createRetention(s.database).noteRemoved({ taskId: s.finishedId, variant: 'content' }),
  ),
  'createRetention.findOrphans': call((s) =>
    store.createRetention(s.database).findOrphans([`videos/${newId('task')}-1.mp4`]),
  ),
  'createRunningAudit.round': async (s) => {
    await settled(s);
    await s.database.pool.query(`UPDATE audit_watermark SET claimed_until = '-infinity'`);
    return async () => {
      const round = await store
        .createRunningAudit(s.database)
        .round({ graceSeconds: 60, everyMs: 60_000, claim: newId('usage') });
      if (round?.failed.length !== 0) throw new Error(JSON.stringify(round));
    };
  },
  'createRunningAudit.state': call((s) => store.createRunningAudit(s.database).state()),
  'createStoredResponses.removeOlder': call((s) => responses(s).removeOlder(24)),
  'createTaskCreation.purgeKeys': call((s) => store.createTaskCreation(s.database).purgeKeys()),
  'createTaskEndings.findDeleted': call((s) =>
    store.createTaskEndings(s.database).findDeleted({ limit: 100 }),
  ),
  'createTaskEndings.forget': async (s) => {
    const id = await settled(s);
    await store.createTaskEndings(s.database).markDeleted(id, s.accountId);
    return () => store.createTaskEndings(s.database).forget(id);
  },
  'createTextLeases.takeBack': call((s) => leases(s).takeBack({ leaseSeconds: 600, limit: 10 })),
  'createTextLeases.purge': call((s) => leases(s).purge()),
  'createUsageRecovery.recover': call((s) =>
    store
      .createUsageRecovery(s.database)
      .recover({ batchId: newId('usageBatch'), leaseSeconds: 600, limit: 10 }),
  ),
  'createUsageRecovery.purge': call((s) => store.createUsageRecovery(s.database).purge(600)),
  'createWork.unfinishedTasks': call((s) => store.createWork(s.database).unfinishedTasks('', 500)),
  'createWork.waitingTasks': call((s) =>
    store.createWork(s.database).waitingTasks('sandbox', { limit: 200 }),
  ),
  'createWork.overdueInQueue': call((s) => store.createWork(s.database).overdueInQueue(100)),
  'createWork.polledTasks': call((s) =>
    store
      .createWork(s.database)
      .polledTasks(
        { provider: 'sandbox', baseUrl: 'http://127.0.0.1:9/api/v3' },
        { after: '', skip: 0, limit: 180 },
      ),
  ),
  'createWork.countAtVendor': call((s) => store.createWork(s.database).countAtVendor('sandbox')),
  'createWork.usualDurationMs': call(async (s) => {
    await store.createWork(s.database).usualDurationMs('sandbox-video');
    await store.createWork(s.database).usualDurationMs('a-model-without-successes');
  }),
};

export const calls: Readonly<Record<string, Call>> = {
  // First: others drop the archive, which these read.
  ...accountCalls,
  ...requests,
  ...work,
  ...sweeps,
  ...operatorCalls,
};

/** Waits in the queue, so that there is live work beside the history. */
export const aLiveTask = ({ database, accountId }: Scene) => aQueuedTask(database, accountId, hook);
