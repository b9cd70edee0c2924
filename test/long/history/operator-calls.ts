import { deliveryStateNames } from '@gateway/contracts';
import * as store from '@gateway/store';
import { storiesOf } from '../../integration/store/stories.ts';
import { call, type Call, type Scene } from './scene.ts';

const stories = ({ database, accountId }: Scene) => storiesOf(database, accountId);
const actions = ({ database }: Scene) => store.createOperatorActions(database, 'api');
const goneRoute = { provider: 'gone', upstreamModel: 'model-1' };
/** What operators wait for, and what they are shown. */
export const operatorCalls: Readonly<Record<string, Call>> = {
  'createOperatorFeed.newest': call((s) => store.createOperatorFeed(s.database).newest()),
  'createOperatorFeed.after': call(async (s) => {
    const feed = store.createOperatorFeed(s.database);
    await feed.after((await feed.newest()) - 100, 1_000);
  }),
  'createExposureLists.page': call(async (s) => {
    const none = { kind: undefined, provider: undefined, accountId: undefined, taskId: undefined };
    const { page } = store.createExposureLists(s.database);
    await page({ ...none, limit: 20 });
    await page({ ...none, limit: 20, taskId: s.finishedId });
  }),
  'createReplicaReports.note': call((s) =>
    store
      .createReplicaReports(s.database)
      .note({ id: s.finishedId, service: 'api', version: '1', facts: {} }),
  ),
  'createReplicaReports.leave': call((s) =>
    store.createReplicaReports(s.database).leave(s.finishedId),
  ),
  'createReplicaReports.live': call((s) => store.createReplicaReports(s.database).live()),
  'createStatusReads.read': call((s) => store.createStatusReads(s.database).read()),
  'createGoneModels.all': call((s) => store.createGoneModels(s.database).all()),
  'createGoneModels.heard': call((s) =>
    store.createGoneModels(s.database).heard(goneRoute, {
      taskId: s.finishedId,
      detail: 'x',
      pause: { firstMs: 0, maxMs: 0 },
    }),
  ),
  'createGoneModels.beginTrial': call((s) =>
    store.createGoneModels(s.database).beginTrial(goneRoute, s.finishedId, 60_000),
  ),
  'createGoneModels.forget': call((s) => store.createGoneModels(s.database).forget(goneRoute)),
  'createTaskDetails.find': call(async (s) => {
    await store.createTaskDetails(s.database).find(s.finishedId);
    await store.createTaskDetails(s.database).find(s.archivedId);
  }),
  'createOperatorActions.cancelUnsubmitted': async (s) => {
    const { id } = await stories(s).queued();
    return () => actions(s).cancelUnsubmitted(id, s.accountId);
  },
  'createOperatorActions.requestCancel': async (s) => {
    const { id } = await stories(s).running();
    return () => actions(s).requestCancel(id, s.accountId);
  },
  'createOperatorActions.redeliverTask': call((s) => actions(s).redeliverTask(s.finishedId)),
  'createOperatorActions.redeliver': async (s) => {
    const { id } = await stories(s).running({ callbackUrl: 'https://receiver.example/hook' });
    return () => actions(s).redeliver(id);
  },
  'createTaskCallbacks.pageOfAll': call(async (s) => {
    const { pageOfAll } = store.createTaskCallbacks(s.database);
    await pageOfAll({ limit: 20 });
    await pageOfAll({ limit: 20, after: s.finishedId });
    for (const state of deliveryStateNames) await pageOfAll({ limit: 20, state });
    await pageOfAll({ limit: 20, accountId: s.accountId });
    await pageOfAll({ limit: 20, accountId: s.accountId, state: 'failing' });
  }),
  'createJournal.page': call(async (s) => {
    await store.createJournal(s.database).page({ limit: 20 });
    await store.createJournal(s.database).page({ limit: 20, accountId: s.accountId });
  }),
  'createTaskOverviews.page': call(async (s) => {
    const { page } = store.createTaskOverviews(s.database);
    await page({ limit: 20 });
    await page({ limit: 20, isStuck: true });
    await page({ limit: 20, id: s.finishedId });
    await page({ limit: 20, createdBefore: new Date(0), highestId: s.finishedId });
  }),
};
