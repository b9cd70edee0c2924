import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics, newId } from '@gateway/runtime';
import {
  createDatabase,
  createStoredResponseReads,
  createStoredResponses as createStore,
  type Database,
} from '@gateway/store';
import {
  asService,
  eventually,
  openTestDatabase,
  openWire,
  recordingLog,
  type TestDatabase,
} from '@gateway/testing';
import {
  createStoredResponses,
  type BuiltStoredResponses,
  type StoredResponsesOptions,
} from '../../../services/api/src/adapters/stored-responses/stored-responses.ts';

let test: TestDatabase;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  await test.close();
});

interface Replica extends BuiltStoredResponses {
  readonly log: ReturnType<typeof recordingLog>;
  stop(): Promise<void>;
}

/** What one replica of the api has, with the rights that the api has. */
async function aReplica(
  options: Partial<StoredResponsesOptions> = {},
  { url = asService(test.url, 'api'), silentMs = 9_000 } = {},
): Promise<Replica> {
  const database: Database = createDatabase({
    url,
    applicationName: 'test',
    poolSize: 3,
    silentMs,
    onError: () => undefined,
  });
  const log = recordingLog();
  const built = createStoredResponses({
    store: createStore(database),
    reads: createStoredResponseReads(database),
    retentionHours: 24,
    maxAccountBytes: 10_000_000,
    metrics: createMetrics('api'),
    log,
    ...options,
  });
  await built.part.start?.();
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await built.part.stop();
    await database.part.stop();
  };
  stops.push(stop);
  return { ...built, log, stop };
}

const anAccountId = () => newId('account');
const aResponse = (
  accountId: string,
  number: number,
  { previous = null, padding = '' }: { previous?: string | null; padding?: string } = {},
) => {
  const responseId = `resp_${newId('usage')}`;
  return {
    accountId,
    responseId,
    previousResponseId: previous,
    input: [{ id: `in_${responseId}`, text: `question ${number}`, padding }],
    response: {
      id: responseId,
      object: 'response',
      output: [{ id: `out_${responseId}`, text: `answer ${number}` }],
    },
  };
};
const texts = (items: readonly string[] | null) =>
  items?.map((item) => (JSON.parse(item) as { readonly text: string }).text);

describe('two replicas', () => {
  it('continue a conversation from turn to turn, wherever the last one was', async () => {
    const replicas = [await aReplica(), await aReplica()];
    const accountId = anAccountId();
    let previous: string | null = null;

    for (let turn = 0; turn < 6; turn += 1) {
      const replica = replicas[turn % 2]!;
      const response = aResponse(accountId, turn, { previous });
      if (previous !== null) {
        // At once, as a client does that has just read response.completed.
        const last = { accountId, responseId: previous };
        await eventually(async () => {
          const items = await replica.storedResponses.conversation(last);
          expect(texts(items)).toHaveLength(2 * turn);
        });
      }
      replica.storedResponses.keep(response);
      previous = response.responseId;
    }

    const conversation = { accountId, responseId: previous! };
    const all = [0, 1, 2, 3, 4, 5].flatMap((turn) => [`question ${turn}`, `answer ${turn}`]);
    for (const { storedResponses } of replicas) {
      expect(texts(await storedResponses.conversation(conversation))).toEqual(all);
    }
  });

  it('find and delete what the other one keeps', async () => {
    const [one, other] = [await aReplica(), await aReplica()];
    const accountId = anAccountId();
    const response = aResponse(accountId, 1);
    const named = { accountId, responseId: response.responseId };
    one.storedResponses.keep(response);

    const [itemId] = response.input.map(({ id }) => id);
    expect(await other.storedResponses.items({ accountId, itemIds: [itemId!, 'missing'] })).toEqual(
      new Map([[itemId, JSON.stringify(response.input[0])]]),
    );
    expect(JSON.parse((await other.kept.find(named))!)).toEqual(response.response);
    expect(await other.kept.remove(named)).toBe(true);

    expect(await one.kept.find(named)).toBeUndefined();
    expect(await one.kept.remove(named)).toBe(false);
  });

  it('mix what waits in one with what is in the database', async () => {
    const [one, slow] = [await aReplica(), await aReplica({ flushMs: 60_000 })];
    const accountId = anAccountId();
    const first = aResponse(accountId, 1);
    const second = aResponse(accountId, 2, { previous: first.responseId });
    one.storedResponses.keep(first);
    slow.storedResponses.keep(second);
    const conversation = { accountId, responseId: second.responseId };

    expect(texts(await slow.storedResponses.conversation(conversation))).toEqual([
      'question 1',
      'answer 1',
      'question 2',
      'answer 2',
    ]);
    expect(await one.storedResponses.conversation(conversation)).toBeNull();
    const ids = [first.response.output[0]!.id, second.response.output[0]!.id];
    expect(await slow.storedResponses.items({ accountId, itemIds: ids })).toHaveProperty('size', 2);

    // What waited is there for all once the replica has stopped in order.
    await slow.stop();
    expect(texts(await one.storedResponses.conversation(conversation))).toHaveLength(4);
  });
});

describe('an account', () => {
  it('keeps its newest responses within its limit', async () => {
    const { storedResponses, kept } = await aReplica({ maxAccountBytes: 1_100_000, flushMs: 1 });
    const accountId = anAccountId();
    const padding = 'p'.repeat(100_000);
    const ids: string[] = [];
    for (let number = 0; number < 15; number += 1) {
      const response = aResponse(accountId, number, { padding });
      storedResponses.keep(response);
      ids.push(response.responseId);
    }

    await eventually(async () => {
      const { rows } = await test.database.pool.query<{ bytes: number }>(
        'SELECT bytes FROM account_responses WHERE account_id = $1',
        [accountId],
      );
      expect(rows[0]!.bytes).toBeGreaterThan(900_000);
      expect(rows[0]!.bytes).toBeLessThanOrEqual(1_100_000);
    });
    expect(await kept.find({ accountId, responseId: ids.at(-1)! })).toBeDefined();
    expect(await kept.find({ accountId, responseId: ids[0]! })).toBeUndefined();
  });

  it('hears that what it names is too long, and what to do', async () => {
    const { storedResponses } = await aReplica();
    const accountId = anAccountId();
    const padding = 'p'.repeat(3_000_000);
    // The database has three quarters of it, as if it had come over hours.
    const store = createStore(test.database);
    let previous: string | null = null;
    for (let number = 0; number < 12; number += 1) {
      const { responseId } = aResponse(accountId, number);
      await store.keep([
        {
          accountId,
          responseId,
          previousId: previous,
          response: Buffer.from('{}'),
          items: [
            {
              itemId: `in_${responseId}`,
              isOutput: false,
              body: Buffer.from(JSON.stringify({ padding })),
            },
          ],
          itemBytes: padding.length,
          sizeBytes: padding.length + 100,
        },
      ]);
      previous = responseId;
    }

    await expect(
      storedResponses.conversation({ accountId, responseId: previous! }),
    ).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'previous_response_id',
      message: expect.stringContaining('send the items that matter as input'),
    });
    const { rows } = await test.database.pool.query<{ id: string }>(
      'SELECT item_id AS id FROM stored_item WHERE account_id = $1',
      [accountId],
    );
    await expect(
      storedResponses.items({ accountId, itemIds: rows.map(({ id }) => id) }),
    ).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'input' });
  });
});

describe('a database that falls silent', () => {
  it('holds up nobody who keeps, and gets what waited when it is back', async () => {
    const wire = await openWire(asService(test.url, 'api'), 5432);
    const { storedResponses, kept, log, stop } = await aReplica(
      {},
      { url: wire.url, silentMs: 500 },
    );
    const accountId = anAccountId();
    const warm = aResponse(accountId, 0);
    storedResponses.keep(warm);
    await eventually(async () => {
      expect(await kept.find({ accountId, responseId: warm.responseId })).toBeDefined();
    });
    wire.fallSilent();

    const responses = [1, 2, 3].map((number) => aResponse(accountId, number));
    const startedMs = performance.now();
    for (const response of responses) storedResponses.keep(response);
    expect(performance.now() - startedMs).toBeLessThan(450); // below the silence it would wait for
    await eventually(() => {
      expect(log.lines.map(({ message }) => message)).toContain(
        'responses not kept, will be retried',
      );
    });
    // Its own queue has it all the while.
    expect(await kept.find({ accountId, responseId: responses[0]!.responseId })).toBeDefined();
    wire.cut();
    wire.mend();

    await eventually(async () => {
      const { rows } = await test.database.pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM stored_response WHERE account_id = $1',
        [accountId],
      );
      expect(rows[0]!.count).toBe(4);
    });
    await stop();
    await wire.close();
  });
});

describe('the retention', () => {
  it('holds at once when it is shorter, and the sweep removes what it ends', async () => {
    const long = await aReplica();
    const accountId = anAccountId();
    const response = aResponse(accountId, 1);
    const named = { accountId, responseId: response.responseId };
    long.storedResponses.keep(response);
    await eventually(async () => {
      const { rowCount } = await test.database.pool.query(
        `UPDATE stored_response SET created_at = now() - interval '2 hours' WHERE account_id = $1`,
        [accountId],
      );
      expect(rowCount).toBe(1);
    });
    expect(await long.kept.find(named)).toBeDefined();

    const short = await aReplica({ retentionHours: 2 });

    expect(await short.kept.find(named)).toBeUndefined();
    await eventually(async () => {
      const { rows } = await test.database.pool.query(
        'SELECT 1 FROM stored_item WHERE account_id = $1',
        [accountId],
      );
      expect(rows).toEqual([]);
    });
  });
});
