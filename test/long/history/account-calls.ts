import { newId } from '@gateway/runtime';
import * as store from '@gateway/store';
import { call, type Call } from './scene.ts';

/** What customers ask for to see and search what is theirs. */
export const accountCalls: Readonly<Record<string, Call>> = {
  'createTaskLists.search': call(async (s) => {
    const page = { accountId: s.accountId, limit: 20 };
    await store.createTaskLists(s.database).search(page, { words: ['nowhere'] });
    await store
      .createTaskLists(s.database)
      .search({ ...page, after: s.finishedId }, { keyId: 'x' });
  }),
  'createTaskTimelines.find': call(async (s) => {
    const { find } = store.createTaskTimelines(s.database);
    const found = [s.finishedId, s.archivedId, newId('task')].map((id) => find(id, s.accountId));
    if ((await Promise.all(found))[1] === undefined) throw new Error('nothing is archived');
  }),
  'createEventFeed.newest': call((s) => store.createEventFeed(s.database).newest()),
  'createEventFeed.after': call(async (s) => {
    const feed = store.createEventFeed(s.database);
    await feed.after((await feed.newest()) - 100, [s.accountId]);
  }),
  'createTaskCallbacks.page': call(async (s) => {
    const { page } = store.createTaskCallbacks(s.database);
    await page({ accountId: s.accountId, limit: 20 });
    await page({ accountId: s.accountId, limit: 20, state: 'failing' });
    await page({ accountId: s.accountId, limit: 20, endpointId: newId('endpoint') });
  }),
  'createEndpoints.create': call((s) =>
    store.createEndpoints(s.database).create(
      {
        id: newId('endpoint'),
        accountId: s.accountId,
        url: `https://receiver.example/${newId('endpoint')}`,
        description: null,
        events: [],
      },
      1_000,
    ),
  ),
  'createEndpoints.page': call((s) =>
    store.createEndpoints(s.database).page({ accountId: s.accountId, limit: 20 }),
  ),
  'createEndpoints.find': call((s) =>
    store.createEndpoints(s.database).find(newId('endpoint'), s.accountId),
  ),
  'createEndpoints.change': call((s) =>
    store.createEndpoints(s.database).change(newId('endpoint'), s.accountId, { enabled: false }),
  ),
  'createEndpoints.noteChallenge': call((s) =>
    store
      .createEndpoints(s.database)
      .noteChallenge(newId('endpoint'), { attemptClass: 'success', detail: null }),
  ),
  'createEndpoints.remove': call((s) =>
    store.createEndpoints(s.database).remove(newId('endpoint'), s.accountId),
  ),
  'createUsageReads.byHour': call((s) => {
    const day = new Date().toISOString().slice(0, 10);
    const period = { accountId: s.accountId, from: day, to: day };
    return store.createUsageReads(s.database).byHour(period, 1_000);
  }),
};
