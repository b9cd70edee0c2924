import { afterEach, describe, expect, it } from '@jest/globals';
import { createLedger } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openProcessStage, type ProcessStage } from '../component/api/api-process.ts';
import {
  asMessages,
  behave,
  chatEvents,
  eventStream,
  hello,
  messagesEvents,
  openUpstream,
  post,
  type Client,
  type Upstream,
  type UpstreamRequest,
} from '../component/api/text-stage.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const price = 'token_quota: { input: 2, output: 3, per: 1 }, ';

const configurationFor = (url: string, tokenQuota = price): string => `
limits: { default_key: { requests_per_minute: 1000000, concurrent_requests: 100 } }
providers:
  messages: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  chat: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  m: { kind: text, ${tokenQuota}routes: [{ provider: messages, model: up-m }] }
  c: { kind: text, ${tokenQuota}routes: [{ provider: chat, model: up-c }] }
`;

interface Stage extends ProcessStage {
  readonly upstream: Upstream;
  ask(apiKey: string, model: string, extra?: object): Client;
}

async function stageWith(
  respond: (request: UpstreamRequest) => void,
  { leaseSeconds = 30, tokenQuota = price } = {},
): Promise<Stage> {
  const upstream = await openUpstream(respond);
  closing.push(upstream.close);
  const yaml = configurationFor(upstream.url, tokenQuota);
  const stage = await openProcessStage({ yaml, leaseSeconds });
  closing.push(stage.close);
  return {
    ...stage,
    upstream,
    ask: (apiKey, model, extra = { stream: true }) =>
      post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello(model, extra) }),
  };
}

const opening: Readonly<Record<string, string>> = {
  'up-m': messagesEvents.slice(0, 3).join(''),
  'up-c': chatEvents.slice(0, 2).join(''),
};
const piece: Readonly<Record<string, string>> = {
  'up-m': messagesEvents[3] ?? '',
  'up-c': chatEvents[2] ?? '',
};

/**
 * Streams word by word until the test ends it; says nothing at all to a request for a whole response.
 */
function writeSlowly({ json, response }: UpstreamRequest): void {
  if (json['stream'] !== true) return;
  const model = String(json['model']);
  response.writeHead(200, eventStream);
  response.write(opening[model] ?? '');
  const timer = setInterval(() => response.write(piece[model] ?? ''), 100);
  response.on('close', () => {
    clearInterval(timer);
  });
  response.on('finish', () => {
    clearInterval(timer);
  });
}

interface Booked {
  readonly model: string;
  readonly outcome: string;
  readonly estimated: boolean;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost: number;
}

async function booked({ database }: Stage): Promise<Booked[]> {
  const { rows } = await database.pool.query<Booked>(
    `SELECT model, outcome, estimated, input_tokens AS input, cached_input_tokens AS cached, output_tokens AS output, (cost_nano / 1000000000)::bigint AS cost FROM usage_record ORDER BY stream DESC, model DESC`,
  );
  return rows;
}

async function openRows({ database }: Stage): Promise<{ model: string; output: number }[]> {
  const { rows } = await database.pool.query<{ model: string; output: number }>(
    `SELECT record->>'model' AS model, (record->>'output_tokens')::int AS output FROM usage_open ORDER BY id`,
  );
  return rows;
}

const untilOpen = (stage: Stage, count: number): Promise<void> =>
  eventually(async () => {
    const rows = await openRows(stage);
    expect(rows).toHaveLength(count);
    expect(rows.filter(({ output }) => output > 10).length).toBeGreaterThan(0);
  });

/** Nothing is left, nothing is in the way, and the account has paid what the books say. */
async function expectBooksInOrder(stage: Stage, accountId: string, quota: number): Promise<void> {
  const costs = (await booked(stage)).reduce((sum, { cost }) => sum + cost, 0);
  const ledger = createLedger(stage.database);
  await expect(ledger.balanceOf(accountId)).resolves.toMatchObject({ balanceQuota: quota - costs });
  await expect(ledger.verify({ graceSeconds: 0 })).resolves.toEqual([]);
  const { rows } = await stage.database.pool.query(
    'SELECT id FROM usage_batch UNION ALL SELECT id FROM usage_open',
  );
  expect(rows).toEqual([]);
}

describe('an api process that is killed while text requests run', () => {
  it('has their usage in the books once each, as what it was, and charged', async () => {
    const stage = await stageWith(writeSlowly, { leaseSeconds: 2 });
    const { apiKey, accountId } = await stage.aKey(10_000);
    const clients = [stage.ask(apiKey, 'm'), stage.ask(apiKey, 'c'), stage.ask(apiKey, 'm', {})];
    for (const { status, headers } of clients) void Promise.allSettled([status, headers]);
    await untilOpen(stage, 3);
    const before = await openRows(stage);

    await stage.end('SIGKILL');

    await eventually(async () => {
      expect(await booked(stage)).toHaveLength(3);
    });
    const records = await booked(stage);
    expect(records).toMatchObject([
      { model: 'm', outcome: 'aborted', estimated: true, input: 11, cached: 5 },
      { model: 'c', outcome: 'aborted', estimated: true },
      { model: 'm', outcome: 'aborted', estimated: true, output: 0 },
    ]);
    expect(records[0]!.output).toBeGreaterThan(10);
    expect(records[0]!.output).toBeGreaterThanOrEqual(
      before.find(({ model }) => model === 'm')!.output,
    );
    expect(records[1]).toMatchObject({
      input: expect.any(Number),
      cost: records[1]!.input * 2 + records[1]!.output * 3,
    });
    expect(records[1]!.input).toBeGreaterThan(3);
    expect(records[2]!.input).toBe(records[1]!.input);
    await expectBooksInOrder(stage, accountId, 10_000);
    expect(await stage.billing.metric('gateway_text_usage_recovered_total')).toBe(3);
    await eventually(async () => {
      const { rows } = await stage.database.pool.query('SELECT replica FROM usage_lease');
      expect(rows).toEqual([]);
    });
  });
});

describe('an api process that cannot reach its database while a text request runs', () => {
  const finish = ({ upstream }: Stage): void => {
    upstream.received[0]!.response.end(messagesEvents.slice(4).join(''));
  };

  it('is taken for gone after a while; what it says later of that request changes nothing', async () => {
    const stage = await stageWith(writeSlowly, { leaseSeconds: 2 });
    const { apiKey, accountId } = await stage.aKey(10_000);
    const client = stage.ask(apiKey, 'm');
    await untilOpen(stage, 1);

    stage.wire.cut();
    await eventually(async () => {
      expect(await booked(stage)).toHaveLength(1);
    });
    stage.wire.mend();
    // It goes on where it was, and says so again.
    await untilOpen(stage, 1);
    finish(stage);

    expect(await client.body).toContain('message_stop');
    await eventually(() => expectBooksInOrder(stage, accountId, 10_000));
    expect(await booked(stage)).toMatchObject([
      { model: 'm', outcome: 'aborted', estimated: true, input: 11 },
    ]);
  });

  it('is not when it comes back in time, and the final record counts', async () => {
    const stage = await stageWith(writeSlowly);
    const { apiKey, accountId } = await stage.aKey(10_000);
    const client = stage.ask(apiKey, 'm');
    await untilOpen(stage, 1);

    stage.wire.cut();
    const text = client.text().length;
    await eventually(() => {
      expect(client.text().length).toBeGreaterThan(text + 2_000);
    });
    finish(stage);
    expect(await client.body).toContain('message_stop');
    expect(await openRows(stage)).toHaveLength(1);
    stage.wire.mend();

    await eventually(() => expectBooksInOrder(stage, accountId, 10_000));
    expect(await booked(stage)).toMatchObject([
      { model: 'm', outcome: 'succeeded', estimated: false, input: 11, output: 7 },
    ]);
    expect(await stage.billing.metric('gateway_text_usage_recovered_total')).toBe(0);
  });
});

describe('an api process that is stopped in order while text requests run', () => {
  it('saves what they used and leaves nothing open', async () => {
    const stage = await stageWith(writeSlowly);
    const { apiKey, accountId } = await stage.aKey(10_000);
    const clients = Array.from({ length: 5 }, () => stage.ask(apiKey, 'm'));
    await untilOpen(stage, 5);

    expect(await stage.end('SIGTERM')).toBe(0);

    expect(await openRows(stage)).toEqual([]);
    expect(
      (await Promise.all(clients.map(({ body }) => body))).every((body) =>
        body.includes('overloaded_error'),
      ),
    ).toBe(true);
    await eventually(async () => {
      expect(await booked(stage)).toHaveLength(5);
    });
    expect(await booked(stage)).toEqual(
      Array.from({ length: 5 }, () =>
        expect.objectContaining({ model: 'm', estimated: true, input: 11 }),
      ),
    );
    await eventually(() => expectBooksInOrder(stage, accountId, 10_000));
    expect(await stage.billing.metric('gateway_text_usage_recovered_total')).toBe(0);
  });
});

describe('text requests that end within a second', () => {
  it('are never written as open, nor does their replica take a lease; one that goes on is and does', async () => {
    let isSlow = false;
    // Without a price: text that is charged is reserved with billing, which notes who asks.
    const stage = await stageWith(
      (request) => {
        (isSlow ? writeSlowly : behave)(request);
      },
      { tokenQuota: '' },
    );
    await stage.database.pool.query(`
      CREATE TABLE written (name TEXT);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN INSERT INTO written VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
      CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON usage_open FOR EACH STATEMENT EXECUTE FUNCTION note();
      CREATE TRIGGER note AFTER INSERT OR UPDATE ON usage_lease FOR EACH STATEMENT EXECUTE FUNCTION note()`);
    // Billing looks for rows to delete all the time; what counts here is the api.
    await stage.billing.stop();
    await stage.database.pool.query('TRUNCATE written');
    const { apiKey } = await stage.aKey(100_000);
    const written = async (): Promise<string[]> =>
      (
        await stage.database.pool.query<{ name: string }>(
          'SELECT DISTINCT name FROM written ORDER BY 1',
        )
      ).rows.map(({ name }) => name);
    const saved = async (): Promise<number> =>
      (
        await stage.database.pool.query<{ records: number }>(
          'SELECT coalesce(sum(jsonb_array_length(records)), 0)::int AS records FROM usage_batch',
        )
      ).rows[0]!.records;

    let asked = 0;
    const askFor3s = async (): Promise<number> => {
      const until = Date.now() + 3_000;
      let longestMs = 0;
      await Promise.all(
        Array.from({ length: 2 }, async () => {
          while (Date.now() < until) {
            const startedMs = performance.now();
            const client = stage.ask(apiKey, asked % 2 === 0 ? 'm' : 'c', {
              stream: asked % 3 === 0,
            });
            expect([await client.status, await client.body]).toEqual([200, expect.any(String)]);
            asked += 1;
            longestMs = Math.max(longestMs, performance.now() - startedMs);
          }
        }),
      );
      await eventually(async () => {
        expect(await saved()).toBe(asked);
      });
      return longestMs;
    };
    // On a busy machine some take longer, and are rightly written down: such a round says nothing.
    let longestMs = await askFor3s();
    for (let round = 1; round < 6 && longestMs >= 1_000; round += 1) {
      await stage.database.pool.query('TRUNCATE written');
      longestMs = await askFor3s();
    }
    expect(asked).toBeGreaterThan(20);
    expect(longestMs).toBeLessThan(1_000);
    expect(await written()).toEqual([]);

    isSlow = true;
    stage.ask(apiKey, 'm');
    await untilOpen(stage, 1);
    expect(await written()).toEqual(['usage_lease', 'usage_open']);
  });
});
