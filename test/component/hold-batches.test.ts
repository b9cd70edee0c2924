import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { HoldRequest, HoldResponse } from '@gateway/contracts';
import { newId, runWith, type Span } from '@gateway/runtime';
import { createLedger } from '@gateway/store';
import {
  anAccount,
  eventually,
  openPeer,
  openTestDatabase,
  recordingLog,
  type Peer,
  type Respond,
  type TestDatabase,
} from '@gateway/testing';
import {
  createBillingClient,
  type BillingClient,
} from '../../services/api/src/adapters/billing-client.ts';
import { aHoldOf, entriesOfTask, holdOf } from '../integration/store/books.ts';
import { lockBalance } from './billing-locks.ts';
import { serviceToken, startBilling, type RunningBilling } from './billing-service.ts';

let test: TestDatabase;
let billing: RunningBilling;
beforeAll(async () => {
  test = await openTestDatabase();
  billing = await startBilling(test);
});
afterAll(async () => {
  await billing.stop();
  await test.close();
});

let peer: Peer | undefined;
afterEach(async () => {
  await peer?.close();
  peer = undefined;
});

const clientOf = (baseUrl: string): BillingClient =>
  createBillingClient({ baseUrl, serviceToken, log: recordingLog(), onCall: () => undefined });

/** What each came to, in the order in which they were asked for in one turn. */
const takeAll = (
  { takeHold }: BillingClient,
  requests: readonly HoldRequest[],
): Promise<string[]> =>
  Promise.all(
    requests.map((request) =>
      takeHold(request).then(
        ({ outcome }) => outcome,
        (error: unknown) => (error as { code: string }).code,
      ),
    ),
  );

const quota = 500;
const accounts = (count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => (await anAccount(test.database, { quota })).id),
  );

/** The calls that billing has served, as its access lines tell. */
const served = (since: number) =>
  billing.lines.slice(since).filter(({ message }) => message === 'request');

async function expectExactBooks(): Promise<void> {
  await expect(createLedger(test.database).verify({ graceSeconds: 60 })).resolves.toEqual([]);
}

/** Passes on to the real billing service what `intercept` leaves. */
async function openFront(intercept: Respond): Promise<Peer> {
  peer = await openPeer(async (received, response) => {
    await intercept(received, response);
    if (response.writableEnded || response.destroyed) return;
    const passed = await fetch(`${billing.url}${received.path}`, {
      method: received.method,
      body: new Uint8Array(received.body),
      headers: {
        'content-type': 'application/json',
        authorization: received.headers.authorization ?? '',
      },
    });
    response.writeHead(passed.status).end(await passed.text());
  });
  return peer;
}

/** A step of a trace with these flags: `01` is sampled. */
function spanWith(flags: string): Span {
  const span: Span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`,
    child: () => span,
    rename: () => undefined,
    set: () => undefined,
    fail: () => undefined,
    end: () => undefined,
  };
  return span;
}

const pathsOf = ({ received }: Peer): string[] => received.map((one) => one.path);

describe('holds that the api asks for in one turn', () => {
  it('are one call of billing, with one line, and each is decided', async () => {
    const owners = await accounts(3);
    const requests = [...owners, ...owners].map((owner) => aHoldOf(owner, 100));
    const since = billing.lines.length;

    await expect(takeAll(clientOf(billing.url), requests)).resolves.toEqual(
      requests.map(() => 'held'),
    );

    await eventually(() => {
      expect(served(since)).toMatchObject([{ route: '/internal/holds/batch', status: 200 }]);
    });
    for (const { task_id: taskId } of requests) {
      expect(await holdOf(test.database, taskId)).toMatchObject({ quota: 100, state: 'open' });
    }
    await expectExactBooks();
  });

  it('are refused by themselves: without quota, with a sum that is wrong, for an account that is none', async () => {
    const [rich, poor] = (await accounts(2)) as [string, string];
    const requests = [
      aHoldOf(rich, 100),
      aHoldOf(poor, quota + 1),
      { ...aHoldOf(rich, 100), quota: 99 },
      aHoldOf(newId('account'), 100),
      aHoldOf(rich, 200),
    ];

    const outcomes = await takeAll(clientOf(billing.url), requests);

    expect(outcomes).toEqual([
      'held',
      'insufficient',
      'billing_unavailable',
      'insufficient',
      'held',
    ]);
    await expectExactBooks();
  });

  it('are one hold when they are for one task', async () => {
    const [owner] = (await accounts(1)) as [string];
    const request = aHoldOf(owner, quota);

    const outcomes = await takeAll(clientOf(billing.url), [request, request, request]);

    expect(outcomes).toEqual(['held', 'held', 'held']);
    expect(await entriesOfTask(test.database, owner, request.task_id)).toHaveLength(1);
    await expectExactBooks();
  });

  it('do not wait for the one whose account is locked', async () => {
    const [locked, ...others] = await accounts(4);
    const unlock = await lockBalance(test, locked ?? '');
    const client = clientOf(billing.url);

    const slow = client.takeHold(aHoldOf(locked ?? '', 100));
    const rest = takeAll(
      client,
      others.map((owner) => aHoldOf(owner, 100)),
    );

    await expect(rest).resolves.toEqual(['held', 'held', 'held']);
    await expect(Promise.race([slow, Promise.resolve('waits')])).resolves.toBe('waits');
    await unlock();
    await expect(slow).resolves.toMatchObject({ outcome: 'held' });
    await expectExactBooks();
  });

  it('wait for their account in any number, and nothing warns of a leak', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => {
      warnings.push(name);
    };
    process.on('warning', onWarning);
    const [locked = ''] = await accounts(1);
    const unlock = await lockBalance(test, locked);
    const requests = Array.from({ length: 30 }, () => aHoldOf(locked, 10));

    const taken = takeAll(clientOf(billing.url), requests);
    await takeAll(clientOf(billing.url), [aHoldOf((await accounts(1))[0] ?? '', 10)]);
    await unlock();

    await expect(taken).resolves.toEqual(requests.map(() => 'held'));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('are asked for one by one when billing dies in the middle, and held once', async () => {
    const owners = await accounts(5);
    const requests = owners.map((owner) => aHoldOf(owner, 100));
    const front = await openFront(async ({ path, body }, response) => {
      if (path !== '/internal/holds/batch') return;
      const passed = await fetch(`${billing.url}${path}`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${serviceToken}`,
        },
      });
      const lines = (await passed.text()).split('\n');
      response.writeHead(200);
      response.write(`${lines.slice(0, 2).join('\n')}\n`, () => response.destroy());
      await eventually(() => {
        expect(response.destroyed).toBe(true);
      });
    });

    const outcomes = await takeAll(clientOf(front.url), requests);

    expect([...outcomes].sort()).toEqual(['exists', 'exists', 'exists', 'held', 'held']);
    expect(pathsOf(front)).toEqual([
      '/internal/holds/batch',
      ...Array.from({ length: 3 }, () => '/internal/holds'),
    ]);
    await expectExactBooks();
  });

  it('are asked for one by one when billing is late', async () => {
    const owners = await accounts(3);
    const front = await openFront(async ({ path }, response) => {
      if (path !== '/internal/holds/batch') return;
      await new Promise((resolve) => {
        response.once('close', resolve);
      });
    });

    const outcomes = await takeAll(
      clientOf(front.url),
      owners.map((owner) => aHoldOf(owner, 100)),
    );

    expect(outcomes).toEqual(['held', 'held', 'held']);
    await expectExactBooks();
  });

  it('are asked for one by one when their traces are to show billing', async () => {
    const [owner] = (await accounts(1)) as [string];
    const front = await openFront(() => undefined);
    const { takeHold } = clientOf(front.url);
    const inTrace = (flags: string): Promise<HoldResponse> =>
      runWith({ requestId: 'req_traced', span: spanWith(flags) }, () =>
        takeHold(aHoldOf(owner, 10)),
      );

    await Promise.all([inTrace('01'), inTrace('01')]);
    await Promise.all([inTrace('00'), inTrace('00')]);

    expect(pathsOf(front)).toEqual(['/internal/holds', '/internal/holds', '/internal/holds/batch']);
    expect(front.received.map(({ headers }) => headers['traceparent']?.slice(-2))).toEqual([
      '01',
      '01',
      '00',
    ]);
  });

  it('are asked for one by one of a billing service of the version before', async () => {
    const owners = await accounts(3);
    const front = await openFront(({ path }, response) => {
      if (path === '/internal/holds/batch') response.writeHead(404).end('{}');
    });
    const client = clientOf(front.url);
    const ask = (): Promise<string[]> =>
      takeAll(
        client,
        owners.map((owner) => aHoldOf(owner, 100)),
      );

    await expect(ask()).resolves.toEqual(['held', 'held', 'held']);
    await expect(ask()).resolves.toEqual(['held', 'held', 'held']);

    expect(pathsOf(front)).toEqual([
      '/internal/holds/batch',
      ...Array.from({ length: 6 }, () => '/internal/holds'),
    ]);
  });
});

describe('POST /internal/holds/batch', () => {
  const post = (body: unknown): Promise<Response> =>
    fetch(`${billing.url}/internal/holds/batch`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` },
    });

  it('has the ids of the requests in its access line, and in a line what is wrong with one', async () => {
    const [owner] = (await accounts(1)) as [string];

    const response = await post({
      holds: [
        { hold: aHoldOf(owner, 100), request_id: 'req_first' },
        { hold: { task_id: 'x' }, request_id: 'req_second' },
      ],
    });

    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = (await response.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        index: 1,
        error: {
          status: 400,
          code: 'missing_parameter',
          message: expect.stringContaining('required') as unknown,
        },
      },
      { index: 0, outcome: 'held', available_quota: quota },
    ]);
    const requestId = response.headers.get('x-request-id');
    await eventually(() => {
      expect(served(0).filter((line) => line['requestId'] === requestId)).toMatchObject([
        { requestIds: ['req_first', 'req_second'] },
      ]);
    });
  });

  it.each([
    ['none', []],
    ['more than 64', Array.from({ length: 65 }, () => ({ hold: {} }))],
  ])('refuses %s', async (_what, holds) => {
    expect((await post({ holds })).status).toBe(400);
  });
});
