import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createAssets,
  createCallbackDeliveries,
  createLedger,
  createLedgerReads,
  createTaskLists,
  createTaskOverviews,
  type Database,
  type Page,
  type PageCursors,
} from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';

type Id = string | number;
interface Cursors {
  readonly limit: number;
  readonly after?: Id;
  readonly before?: Id;
}
interface List {
  /** Of the five rows that the list has. */
  readonly ids: readonly Id[];
  /** The ids say nothing of it: the oldest is the first. */
  readonly areInOrder?: boolean;
  page(cursors: Cursors): Promise<Page<Id>>;
}

/** Makes five things one after another. */
async function made<Made>(make: () => Promise<Made>): Promise<Made[]> {
  const things: Made[] = [];
  while (things.length < 5) things.push(await make());
  return things;
}

const byId = async (reading: Promise<Page<{ readonly id: string }>>): Promise<Page<Id>> => {
  const { items, hasMore } = await reading;
  return { items: items.map(({ id }) => id), hasMore };
};
const text = (cursors: Cursors): PageCursors => cursors as PageCursors;
const idOf = ({ id }: { readonly id: string }): string => id;

/** Every list of the store with five rows, beside rows of somebody else where it is somebody's. */
const lists: Readonly<Record<string, (database: Database) => Promise<List>>> = {
  async accounts(database) {
    const ids = (await made(() => anAccount(database, { quota: 0 }))).map(idOf);
    return { ids, page: (cursors) => byId(createAccountReads(database).page(text(cursors))) };
  },
  async 'keys of an account'(database) {
    const keysOf = async () => {
      const { id: accountId } = await anAccount(database, { quota: 0 });
      const ids = await made(async () => {
        const id = newId('key');
        await createAccounts(database).createKey({
          id,
          accountId,
          name: 'k',
          prefix: 'sk-gw-',
          hash: new Uint8Array(randomBytes(32)),
          scopes: ['text'],
          models: [],
          expiresAt: null,
          requestsPerMinute: null,
        });
        return id;
      });
      return { accountId, ids };
    };
    const [{ accountId, ids }] = [await keysOf(), await keysOf()];
    return {
      ids,
      page: (cursors) => byId(createAccountReads(database).keys({ accountId, ...text(cursors) })),
    };
  },
  async 'tasks of an account'(database) {
    const [own, other] = [await anAccount(database), await anAccount(database)];
    const tasks = await made(
      async () => (await aQueuedTask(database, other.id), aQueuedTask(database, own.id)),
    );
    return {
      ids: tasks.map(idOf),
      page: (cursors) =>
        byId(createTaskLists(database).page({ accountId: own.id, ...text(cursors) })),
    };
  },
  async 'tasks of every account'(database) {
    const { id } = await anAccount(database);
    const tasks = await made(
      async () => (
        await aQueuedTask(database, id, { model: 'other-model' }),
        aQueuedTask(database, id)
      ),
    );
    return {
      ids: tasks.map(idOf),
      page: (cursors) =>
        byId(createTaskOverviews(database).page({ model: 'sandbox-video', ...text(cursors) })),
    };
  },
  async 'the ledger of an account'(database) {
    const [own, other] = [
      await anAccount(database, { quota: 0 }),
      await anAccount(database, { quota: 0 }),
    ];
    await made(async () => {
      for (const { id } of [other, own]) await createLedger(database).topUp(id, 7, 'test');
    });
    const { page, statement } = createLedgerReads(database);
    return {
      ids: (await statement({ accountId: own.id })).entries.map(({ id }) => id),
      areInOrder: true,
      async page(cursors) {
        const { items, hasMore } = await page({
          accountId: own.id,
          ...(cursors as PageCursors),
        });
        return { items: items.map(({ id }) => id), hasMore };
      },
    };
  },
  async 'assets of an account'(database) {
    const assets = createAssets(database);
    const begun = async (accountId: string) => {
      const id = newId('asset');
      await assets.begin(
        {
          id,
          accountId,
          kind: 'image',
          contentType: 'image/png',
          storageKey: `assets/${id}`,
        },
        { wantedBytes: 1_000, maxBytes: 1_000_000 },
      );
      return id;
    };
    const ready = async (accountId: string) => {
      const id = await begun(accountId);
      await assets.finish(
        id,
        {
          name: 'x',
          sizeBytes: 10,
          sha256: 'a'.repeat(64),
          width: 1,
          height: 1,
          durationSeconds: null,
        },
        1_000,
      );
      return id;
    };
    const [own, other] = [await anAccount(database), await anAccount(database)];
    const ids = await made(async () => (await ready(other.id), await begun(own.id), ready(own.id)));
    return { ids, page: (cursors) => byId(assets.page({ accountId: own.id, ...text(cursors) })) };
  },
  async 'attempts to deliver a status'(database) {
    const { id: accountId } = await anAccount(database);
    const attempted = async (taskId: string) => {
      const id = newId('attempt');
      await database.pool.query(
        `INSERT INTO callback_attempt (id, task_id, attempt, started_at, duration_ms, class) VALUES ($1, $2, 1, now(), 5, 'success')`,
        [id, taskId],
      );
      return id;
    };
    const task = () => aQueuedTask(database, accountId, { callbackUrl: 'http://127.0.0.1:9/hook' });
    const [own, other] = [await task(), await task()];
    const ids = await made(async () => (await attempted(other.id), attempted(own.id)));
    return {
      ids,
      page: (cursors) =>
        byId(createCallbackDeliveries(database).attempts({ taskId: own.id, ...text(cursors) })),
    };
  },
};

/** Cursors and rows by their place in the list: 0 is the newest of five. */
const pages: readonly (readonly [
  asked: { limit: number; after?: number; before?: number },
  places: number[],
  hasMore: boolean,
])[] = [
  [{ limit: 2 }, [0, 1], true],
  [{ limit: 5 }, [0, 1, 2, 3, 4], false],
  [{ limit: 2, after: 1 }, [2, 3], true],
  [{ limit: 2, after: 2 }, [3, 4], false],
  [{ limit: 2, after: 4 }, [], false],
  [{ limit: 2, before: 3 }, [1, 2], true],
  [{ limit: 2, before: 2 }, [0, 1], false],
  [{ limit: 2, before: 0 }, [], false],
  [{ limit: 2, after: 0, before: 4 }, [1, 2], true],
  [{ limit: 3, after: 0, before: 4 }, [1, 2, 3], false],
];

describe.each(Object.entries(lists))('a page of %s', (_name, open) => {
  let test: TestDatabase;
  let list: List;
  let newestFirst: Id[];
  beforeAll(async () => {
    test = await openTestDatabase();
    list = await open(test.database);
    newestFirst = list.areInOrder
      ? [...list.ids].reverse()
      : [...list.ids].sort((one, other) => (one < other ? 1 : -1));
  });
  afterAll(() => test.close());

  it.each(pages)(
    'for %j has the rows %j, and more in that direction: %s',
    async ({ limit, after, before }, places, hasMore) => {
      const page = await list.page({
        limit,
        ...(after !== undefined && { after: newestFirst[after]! }),
        ...(before !== undefined && { before: newestFirst[before]! }),
      });

      expect(page).toEqual({ items: places.map((place) => newestFirst[place]), hasMore });
    },
  );
});
