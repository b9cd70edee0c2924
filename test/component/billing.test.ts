import diagnostics from 'node:diagnostics_channel';
import type net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '@gateway/contracts';
import {
  createLedger,
  createMetering,
  createTaskMoves,
  createTaskReads,
  invariantNames,
} from '@gateway/store';
import {
  anAccount,
  eventually,
  openPeer,
  openTestDatabase,
  openWire,
  type TestDatabase,
} from '@gateway/testing';
import { Redis } from 'ioredis';
import { openDeployment } from '../integration/queue/queues.ts';
import {
  aHoldRequest,
  ageHold,
  entriesOf,
  holdOf,
  violations,
} from '../integration/store/books.ts';
import { storiesOf } from '../integration/store/stories.ts';
import { aSavedBatch, aUsageRecord, units } from '../integration/store/usage.ts';
import { startBilling, type RunningBilling } from './billing-service.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly type: string;
    readonly message: string;
    readonly param: string | null;
    readonly details?: readonly { readonly param: string }[];
  };
}
const errorOf = async (response: Response): Promise<ErrorBody['error']> =>
  ((await response.json()) as ErrorBody).error;

/** Ports that this process dials while `work` is done. */
async function portsDialled(work: () => Promise<unknown>): Promise<number[]> {
  const sockets: net.Socket[] = [];
  const keep = (message: unknown): void => {
    sockets.push((message as { readonly socket: net.Socket }).socket);
  };
  diagnostics.subscribe('net.client.socket', keep);
  await work();
  diagnostics.unsubscribe('net.client.socket', keep);
  return sockets.map((socket) => socket.remotePort ?? 0);
}

describe('POST /internal/holds', () => {
  let billing: RunningBilling;
  beforeAll(async () => {
    billing = await startBilling(test);
  });
  afterAll(() => billing.stop());

  it('takes a hold: response, rows, no call to anybody, no job, one line and one measure', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const request = aHoldRequest(account.id);
    const before =
      (await billing.metric('http_server_request_duration_seconds_count', {
        http_route: '/internal/holds',
        http_response_status_code: '200',
      })) ?? 0;
    let response: Response | undefined;

    const ports = await portsDialled(async () => {
      response = await billing.hold(request, { 'x-request-id': 'req_of_the_api' });
    });

    expect(response?.status).toBe(200);
    await expect(response?.json()).resolves.toEqual({ outcome: 'held', available_quota: 1_000 });
    await expect(holdOf(test.database, request.task_id)).resolves.toEqual({
      accountId: account.id,
      quota: 50,
      state: 'open',
      chargedQuota: null,
    });
    await expect(entriesOf(test.database, account.id)).resolves.toMatchObject([
      { kind: 'top_up' },
      { kind: 'hold', quota: 50, heldAfter: 50 },
    ]);
    const known = [billing.url, test.url].map((url) => Number(new URL(url).port));
    expect(ports.filter((port) => !known.includes(port))).toEqual([]);
    const peer = await openPeer((_received, response) => {
      response.end();
    });
    await expect(portsDialled(() => fetch(peer.url))).resolves.toEqual([
      Number(new URL(peer.url).port),
    ]); // such a call would have been seen
    await peer.close();
    const redis = new Redis(billing.redisUrl);
    await expect(redis.keys(`${billing.queuePrefix}:*${request.task_id}*`)).resolves.toEqual([]);
    await redis.quit();
    const line = await eventually(() => {
      const found = billing.lines.find((each) => each['requestId'] === 'req_of_the_api');
      expect(found).toBeDefined();
      return found;
    });
    expect(line).toMatchObject({
      level: 'info',
      message: 'request',
      service: 'billing',
      method: 'POST',
      route: '/internal/holds',
      status: 200,
      complete: true,
    });
    await expect(
      billing.metric('http_server_request_duration_seconds_count', {
        http_route: '/internal/holds',
        http_response_status_code: '200',
      }),
    ).resolves.toBe(before + 1);
  });

  it('responds to the same request again with `exists`', async () => {
    const account = await anAccount(test.database);
    const request = aHoldRequest(account.id);
    await billing.hold(request);

    const response = await billing.hold(request);

    expect(response.status).toBe(200);
    await expect(response.json()).resolves.toEqual({ outcome: 'exists', available_quota: 9_950 });
  });

  it('returns a lack of quota, not as an error, and takes nothing', async () => {
    const account = await anAccount(test.database, { quota: 49 });
    const request = aHoldRequest(account.id);

    const response = await billing.hold(request);

    expect(response.status).toBe(200);
    await expect(response.json()).resolves.toEqual({
      outcome: 'insufficient',
      available_quota: 49,
    });
    await expect(holdOf(test.database, request.task_id)).resolves.toBeUndefined();
  });

  it('gives two hundred callers at once exactly what the quota covers', async () => {
    const account = await anAccount(test.database, { quota: 33 * 50 });

    const responses = await Promise.all(
      Array.from(
        { length: 200 },
        async () =>
          (await billing.hold(aHoldRequest(account.id))).json() as Promise<{ outcome: string }>,
      ),
    );

    expect(responses.filter((response) => response.outcome === 'held')).toHaveLength(33);
    expect(responses.filter((response) => response.outcome === 'insufficient')).toHaveLength(167);
    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toMatchObject({
      availableQuota: 0,
    });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer test-service-token-9876543210' }],
    ['half of the token', { authorization: 'Bearer test-service' }],
    ['the token without its scheme', { authorization: 'test-service-token-0123456789' }],
    ['the token as an API key', { 'x-api-key': 'test-service-token-0123456789' }],
  ])('refuses a caller with %s, and takes nothing', async (_what, headers) => {
    const account = await anAccount(test.database);
    const request = aHoldRequest(account.id);

    const response = await billing.hold(request, { authorization: '', ...headers });

    expect(response.status).toBe(401);
    await expect(errorOf(response)).resolves.toMatchObject({
      type: 'authentication_error',
      code: 'invalid_api_key',
    });
    await expect(holdOf(test.database, request.task_id)).resolves.toBeUndefined();
  });

  it('asks for the token before it reads a body or says which routes there are', async () => {
    const responses = await Promise.all([
      billing.hold('{', { authorization: '' }),
      fetch(`${billing.url}/internal/secrets`),
    ]);

    expect(responses.map((response) => response.status)).toEqual([401, 401]);
  });

  it.each([
    ['quota', { quota: -1 }],
    ['quota', { quota: '50' }],
    ['quota', { quota: 1e16 }],
    ['seconds', { seconds: 0 }],
    ['seconds', { seconds: 4.5 }],
    ['seconds', { seconds: 3_601 }],
    ['second_quota', { second_quota: null }],
    ['task_id', { task_id: '' }],
    ['task_id', { task_id: 'x'.repeat(65) }],
    ['account_id', { account_id: undefined }],
    ['currency', { currency: 'EUR' }],
    ['quota', { quota: 51 }],
    ['quota', { quota: 0 }],
    ['quota', { second_quota: Number.MAX_SAFE_INTEGER, seconds: 3_600 }],
  ])('refuses a body whose %s is wrong, and names it: %j', async (param, change) => {
    const account = await anAccount(test.database);
    const request = { ...aHoldRequest(account.id), ...change };

    const response = await billing.hold(request);

    expect(response.status).toBe(400);
    await expect(errorOf(response)).resolves.toMatchObject({
      type: 'invalid_request_error',
      param,
    });
    await expect(entriesOf(test.database, account.id)).resolves.toHaveLength(1);
  });

  it.each([
    ['is not JSON', '{"task_id":', 'invalid_json'],
    ['is a list', '[]', 'invalid_parameter'],
    ['is empty', '', 'missing_parameter'],
  ])('refuses a body that %s', async (_what, body, code) => {
    const response = await billing.hold(body);

    expect(response.status).toBe(400);
    await expect(errorOf(response)).resolves.toMatchObject({ type: 'invalid_request_error', code });
  });

  it('refuses a body that is far too large', async () => {
    expect((await billing.hold({ task_id: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('does not let one impossible request fail the others that are decided with it', async () => {
    const account = await anAccount(test.database);
    const good = Array.from({ length: 10 }, () => aHoldRequest(account.id));
    const bad = { ...aHoldRequest(account.id), quota: 51 };

    const responses = await Promise.all(
      [good[0]!, bad, ...good.slice(1)].map((request) => billing.hold(request)),
    );

    expect(
      responses.map((response) => response.status).filter((status) => status === 200),
    ).toHaveLength(10);
  });
});

describe('the settlement of a finished task', () => {
  it('happens when billing is woken, once, and is counted', async () => {
    const billing = await startBilling(test);
    const queues = openDeployment(billing.queuePrefix);
    const { producer } = await queues.producer();
    const account = await anAccount(test.database, { quota: 1_000 });
    const task = await storiesOf(test.database, account.id).succeeded(3);

    await producer.wake('billing.settle', task.id);
    await eventually(async () => {
      expect(await holdOf(test.database, task.id)).toMatchObject({
        state: 'closed',
        chargedQuota: 30,
      });
    });
    await eventually(async () => {
      expect(await queues.liveJobs('billing')).toEqual([]);
    });
    await producer.wake('billing.settle', task.id);
    await eventually(async () => {
      expect(await queues.liveJobs('billing')).toEqual([]);
    });

    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 970,
      heldQuota: 0,
      availableQuota: 970,
      debtQuota: 0,
    });
    await expect(billing.metric('gateway_holds_settled_total')).resolves.toBe(1);
    await billing.stop();
    await queues.close();
  });

  it('happens without any wake-up, by the reconciler, which also gives back holds without a task', async () => {
    const account = await anAccount(test.database, { quota: 1_000 });
    const stories = storiesOf(test.database, account.id);
    const [missed, live] = [await stories.succeeded(5), await stories.running()];
    const [orphan, young] = [aHoldRequest(account.id), aHoldRequest(account.id)];
    const billing = await startBilling(test, { SWEEP_MS: 100, ORPHAN_GRACE_SECONDS: 30 });
    await billing.hold(orphan);
    await billing.hold(young);

    await ageHold(test.database, orphan.task_id, 31);

    await eventually(async () => {
      expect(await holdOf(test.database, orphan.task_id)).toMatchObject({
        state: 'closed',
        chargedQuota: 0,
      });
    });
    await eventually(async () => {
      expect(await holdOf(test.database, missed.id)).toMatchObject({
        state: 'closed',
        chargedQuota: 50,
      });
    });
    await expect(holdOf(test.database, young.task_id)).resolves.toMatchObject({ state: 'open' });
    await expect(holdOf(test.database, live.id)).resolves.toMatchObject({ state: 'open' });
    await eventually(async () => {
      expect(await billing.metric('gateway_holds_orphaned_total')).toBe(1);
    });
    await expect(billing.metric('gateway_holds_settled_total')).resolves.toBe(1);
    expect(billing.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'hold without a task released',
        taskId: orphan.task_id,
      }),
    );
    await expect(createTaskReads(test.database).find(orphan.task_id)).resolves.toBeUndefined();
    await billing.stop();
  });
});

describe('text usage', () => {
  const records = (accountId: string): UsageRecord[] => [
    aUsageRecord(accountId, { cost_nano: units(4.5) }),
    aUsageRecord(accountId, { cost_nano: units(2) }),
  ];

  it('is charged when billing is woken, once, and is counted', async () => {
    const billing = await startBilling(test);
    const queues = openDeployment(billing.queuePrefix);
    const { producer } = await queues.producer();
    const account = await anAccount(test.database, { quota: 5 });
    const batch = await aSavedBatch(test.database, records(account.id));

    for (let times = 0; times < 2; times += 1) {
      await producer.wake('metering.apply', batch.id);
      await eventually(async () => {
        expect(await queues.liveJobs('metering')).toEqual([]);
      });
      await eventually(async () => {
        expect(await entriesOf(test.database, account.id)).toMatchObject([
          { kind: 'top_up' },
          { kind: 'charge', quota: 5, debit: 'available' },
        ]);
      });
    }

    await expect(createLedger(test.database).balanceOf(account.id)).resolves.toEqual({
      balanceQuota: 0,
      heldQuota: 0,
      availableQuota: 0,
      debtQuota: 1,
    });
    await expect(billing.metric('gateway_text_usage_records_total')).resolves.toBe(2);
    await expect(billing.metric('gateway_text_uncollected_quota_total')).resolves.toBe(1);
    await expect(createMetering(test.database).findUnapplied(10)).resolves.toEqual([]);
    await expect(violations(test.database)).resolves.toEqual([]);
    await billing.stop();
    await queues.close();
  });

  it('is charged without any wake-up, by the reconciler, also when another batch is spoilt', async () => {
    const own = await openTestDatabase();
    const account = await anAccount(own.database, { quota: 100 });
    const spoilt = await aSavedBatch(own.database, [
      aUsageRecord('acct_01h455vb4pex5vsknk084sn02q'),
    ]);
    await aSavedBatch(own.database, records(account.id));
    await aSavedBatch(own.database, records(account.id));

    const billing = await startBilling(own, { SWEEP_MS: 100 });

    await eventually(async () => {
      await expect(createLedger(own.database).balanceOf(account.id)).resolves.toMatchObject({
        balanceQuota: 87,
      });
    });
    await expect(createMetering(own.database).findUnapplied(10)).resolves.toEqual([spoilt.id]);
    await eventually(() => {
      expect(billing.lines).toContainEqual(
        expect.objectContaining({
          level: 'error',
          message: 'periodic work failed',
          work: 'reconcile text usage',
        }),
      );
    });
    await billing.stop();
    await own.close();
  });
});

describe('the books', () => {
  it('are checked again and again: a breach shows in the metric and in the log, and goes when it is mended', async () => {
    const own = await openTestDatabase();
    const account = await anAccount(own.database);
    const billing = await startBilling(own, { VERIFY_MS: 100 });
    const measured = (): Promise<number | undefined> =>
      billing.metric('gateway_ledger_violations', { invariant: 'balance_is_sum_of_entries' });
    expect(
      await Promise.all(
        invariantNames.map((invariant) =>
          billing.metric('gateway_ledger_violations', { invariant }),
        ),
      ),
    ).toEqual(invariantNames.map(() => 0));

    await own.database.pool.query(
      'UPDATE balance SET balance = balance + 7 WHERE account_id = $1',
      [account.id],
    );
    await eventually(async () => {
      expect(await measured()).toBe(1);
    });
    expect(billing.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'money invariant broken',
        invariant: 'balance_is_sum_of_entries',
        subject: account.id,
        detail: 'balance 10007, entries 10000',
      }),
    );
    await expect(
      billing.metric('gateway_ledger_violations', { invariant: 'held_is_sum_of_open_holds' }),
    ).resolves.toBe(0);
    await expect(billing.metric('gateway_exposures', { kind: 'orphan' })).resolves.toBe(0);
    await createTaskMoves(own.database).recordExposure({
      taskId: 'video_x',
      kind: 'orphan',
      provider: 'sandbox',
      vendorTaskId: 'v',
      detail: 'x',
    });
    await eventually(async () => {
      expect(await billing.metric('gateway_exposures', { kind: 'orphan' })).toBe(1);
    });
    await own.database.pool.query(
      'UPDATE balance SET balance = balance - 7 WHERE account_id = $1',
      [account.id],
    );

    await eventually(async () => {
      expect(await measured()).toBe(0);
    });
    await billing.stop();
    await own.close();
  });
});

describe('a store that goes away from billing', () => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  it.each([
    ['database', 5432, 'redis'],
    ['redis', 6379, 'database'],
  ] as const)('is named by /readyz, and only it: %s', async (name, defaultPort, other) => {
    const setting = name === 'database' ? 'DATABASE_URL' : 'REDIS_URL';
    const url = new URL(name === 'database' ? test.url : (process.env['TEST_REDIS_URL'] ?? ''));
    const wire = await openWire(url.href, defaultPort);
    url.hostname = '127.0.0.1';
    url.port = String(wire.port);
    const billing = await startBilling(test, { [setting]: url.href });
    stops.push(
      () => wire.close(),
      () => billing.stop(),
      () => {
        wire.mend();
      },
    );
    const ready = async (): Promise<{ status: number; checks: Record<string, string> }> => {
      const response = await fetch(`${billing.opsUrl}/readyz`);
      return {
        status: response.status,
        checks: ((await response.json()) as { checks: Record<string, string> }).checks,
      };
    };
    await expect(ready()).resolves.toEqual({
      status: 200,
      checks: { database: 'ok', redis: 'ok', clock: 'ok' },
    });

    wire.cut();

    await eventually(async () => {
      expect(await ready()).toEqual({
        status: 503,
        checks: {
          [name]: expect.stringMatching(/^(?!ok$)./) as unknown,
          [other]: 'ok',
          clock: 'ok',
        },
      });
    });
    expect((await fetch(`${billing.url}/livez`)).status).toBe(200);
    wire.mend();
    await eventually(async () => {
      expect((await ready()).status).toBe(200);
    });
  });

  it('lets no hold be taken meanwhile, says nothing of its inside, and takes holds again afterwards', async () => {
    const url = new URL(test.url);
    const wire = await openWire(url.href, 5432);
    url.hostname = '127.0.0.1';
    url.port = String(wire.port);
    const billing = await startBilling(test, { DATABASE_URL: url.href });
    stops.push(
      () => wire.close(),
      () => billing.stop(),
      () => {
        wire.mend();
      },
    );
    const account = await anAccount(test.database);
    const request = aHoldRequest(account.id);
    wire.cut();

    const response = await billing.hold(request);

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await expect(errorOf(response)).resolves.toEqual({
      message: 'a store of the gateway cannot be reached right now; try again',
      type: 'upstream_error',
      code: 'upstream_unavailable',
      param: null,
    });
    await expect(holdOf(test.database, request.task_id)).resolves.toBeUndefined();
    wire.mend();
    await eventually(async () => {
      await expect((await billing.hold(request)).json()).resolves.toMatchObject({
        outcome: 'held',
      });
    });
  });

  it('does not matter to holds when it is Redis', async () => {
    const wire = await openWire(process.env['TEST_REDIS_URL'] ?? '', 6379);
    const billing = await startBilling(test, { REDIS_URL: `redis://127.0.0.1:${wire.port}` });
    stops.push(
      () => wire.close(),
      () => billing.stop(),
      () => {
        wire.mend();
      },
    );
    const account = await anAccount(test.database);
    wire.cut();

    await expect((await billing.hold(aHoldRequest(account.id))).json()).resolves.toMatchObject({
      outcome: 'held',
    });
  });
});
