import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TaskStatus } from '@gateway/domain';
import { newId } from '@gateway/runtime';
import { createCallbackDeliveries, createEndpoints, createTaskCallbacks } from '@gateway/store';
import { anAccount, eventually, openReceiver, type Peer } from '@gateway/testing';
import { Webhook } from 'standardwebhooks';
import { openStage, type Stage } from './callback-dispatcher-stage.ts';

let stage: Stage;
let accountId: string;
let callbackSecret: string;
const peers: Peer[] = [];

beforeAll(async () => {
  stage = await openStage();
  await stage.start();
});
afterAll(() => stage.close());
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});
/** Each story has an account of its own: what others owe to their endpoints is nothing to it. */
async function anOwner(): Promise<void> {
  ({ id: accountId, callbackSecret } = await anAccount(stage.test.database, { quota: 1_000_000 }));
}

async function receiver(respond?: Parameters<typeof openReceiver>[0]) {
  const opened = await openReceiver(respond);
  peers.push(opened);
  return opened;
}

interface Kept {
  readonly events?: readonly TaskStatus[];
  readonly isVerified?: boolean;
}

/** An endpoint of the account, verified unless the story says otherwise. */
async function anEndpoint(url: string, { events = [], isVerified = true }: Kept = {}) {
  const endpoints = createEndpoints(stage.test.database);
  const id = newId('endpoint');
  await endpoints.create({ id, accountId, url, description: null, events }, 100);
  if (isVerified) await endpoints.noteChallenge(id, { attemptClass: 'success', detail: null });
  return id;
}

const create = (callbackUrl: string | null = null) =>
  stage.create(callbackUrl!, { accountId, callbackUrl });
async function play(callbackUrl: string | null = null): Promise<string> {
  const queued = await create(callbackUrl);
  const running = await stage.move(queued, 'accepted');
  await stage.move(running, 'stored');
  return queued.id;
}
const pushed = (peer: Awaited<ReturnType<typeof receiver>>, ...statuses: readonly string[]) =>
  eventually(() => {
    expect(peer.pushes().map(({ body }) => body.status)).toEqual(statuses);
  });
const summaries = (taskId: string) =>
  createCallbackDeliveries(stage.test.database).endpointSummaries(taskId);
/** Nothing of it is owed, and nobody works on it. */
const settled = (taskId: string) =>
  eventually(async () => {
    const rows = await stage.sql(
      'SELECT newest_sequence - settled_sequence AS owed, claim_token FROM endpoint_callback WHERE task_id = $1',
      [taskId],
    );
    for (const row of rows) expect(row).toEqual({ owed: 0, claim_token: null });
    return rows.length;
  });

describe('an endpoint of the account', () => {
  it('gets every status of a task without an address of its own: in order, signed, without a challenge', async () => {
    await anOwner();
    const peer = await receiver();
    const endpointId = await anEndpoint(peer.url);

    const taskId = await play();

    await pushed(peer, 'queued', 'running', 'succeeded');
    expect(peer.received).toHaveLength(3);
    const suffix = taskId.slice('video_'.length);
    for (const [at, { headers, body }] of peer.received.entries()) {
      new Webhook(callbackSecret).verify(body.toString(), headers as Record<string, string>);
      expect(headers).toMatchObject({
        'webhook-id': `msg_${suffix}_${at + 1}`,
        'x-gateway-sequence': String(at + 1),
        'x-gateway-endpoint': endpointId,
        'x-gateway-task': taskId,
      });
    }
    await settled(taskId);
    expect(await summaries(taskId)).toMatchObject([
      { endpointId, url: peer.url, state: 'verified', pendingPushes: 0, deliveredSequence: 3 },
    ]);
    const log = await createCallbackDeliveries(stage.test.database).attempts({ taskId, limit: 10 });
    expect(log.items).toMatchObject(
      [3, 2, 1].map((sequence) => ({ sequence, endpointId, attemptClass: 'success' })),
    );
  });

  it('stands beside the address of a task, which is challenged and pushed to as ever', async () => {
    await anOwner();
    const [own, kept] = [await receiver(), await receiver()];
    await anEndpoint(kept.url);

    const taskId = await play(own.url);

    await pushed(own, 'queued', 'running', 'succeeded');
    await pushed(kept, 'queued', 'running', 'succeeded');
    expect(own.received).toHaveLength(4);
    expect(own.received[1]?.headers).not.toHaveProperty('x-gateway-endpoint');
    await settled(taskId);
  });

  it('gets nothing twice that goes to the same address already', async () => {
    await anOwner();
    const peer = await receiver();
    await anEndpoint(peer.url);

    const taskId = await play(peer.url);

    await pushed(peer, 'queued', 'running', 'succeeded');
    expect(await settled(taskId)).toBe(0);
  });

  it('gets the statuses that it takes, and no others', async () => {
    await anOwner();
    const peer = await receiver();
    await anEndpoint(peer.url, { events: ['running', 'failed'] });

    const running = await stage.move(await create(), 'accepted');
    await stage.move(running, 'failed');

    await pushed(peer, 'running', 'failed');
    expect(peer.received.map(({ headers }) => headers['x-gateway-sequence'])).toEqual(['2', '3']);
  });

  it('gets nothing before it has consented, nor of another account', async () => {
    await anOwner();
    const [silent, foreign] = [await receiver(), await receiver()];
    await anEndpoint(foreign.url);
    await anOwner();
    await anEndpoint(silent.url, { isVerified: false });

    const taskId = await play();

    expect(await settled(taskId)).toBe(0);
    expect([...silent.received, ...foreign.received]).toEqual([]);
  });

  it('gets the rest of a task that was there before it', async () => {
    await anOwner();
    const peer = await receiver();
    const queued = await create();
    await anEndpoint(peer.url);

    await stage.move(queued, 'accepted');

    await pushed(peer, 'running');
  });
});

describe('an endpoint that fails', () => {
  it('is tried six times in all, delays nobody, and gets the newest status again when asked', async () => {
    await anOwner();
    let isBroken = true;
    const broken = await receiver((_received, response) => {
      if (isBroken) response.writeHead(500).end('no');
      return isBroken;
    });
    const [own, kept] = [await receiver(), await receiver()];
    const endpointId = await anEndpoint(broken.url);
    await anEndpoint(kept.url);

    const { id } = await create(own.url);

    await pushed(own, 'queued');
    await pushed(kept, 'queued');
    await eventually(async () => {
      const all = await summaries(id);
      expect(all.find((each) => each.endpointId === endpointId)).toMatchObject({
        state: 'stopped',
        stopReason: 'exhausted',
        failures: 6,
      });
    });
    expect(broken.received).toHaveLength(6);

    const { page } = createTaskCallbacks(stage.test.database);
    expect(
      (await page({ accountId, endpointId, state: 'stopped', limit: 10 })).items,
    ).toMatchObject([
      { taskId: id, endpointId, url: broken.url, state: 'stopped', stopReason: 'exhausted' },
    ]);
    isBroken = false;
    const { redeliver } = createCallbackDeliveries(stage.test.database);
    expect(await redeliver(`${id}.${endpointId}`)).toBe(true);
    await eventually(async () => {
      expect(
        (await page({ accountId, endpointId, state: 'delivered', limit: 10 })).items,
      ).toHaveLength(1);
    });
    expect(broken.received.at(-1)?.headers).toMatchObject({ 'x-gateway-sequence': '1' });
    expect([own.pushes(), kept.pushes()].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('gets the newest status alone once one has failed', async () => {
    await anOwner();
    let fails = 1;
    const peer = await receiver((_received, response) => {
      fails -= 1;
      if (fails >= 0) response.writeHead(503, { 'retry-after': '1' }).end();
      return fails >= 0;
    });
    await anEndpoint(peer.url);
    const queued = await create();
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });

    const running = await stage.move(queued, 'accepted');
    await stage.move(running, 'stored');

    await settled(queued.id);
    expect(peer.received.map(({ headers }) => headers['x-gateway-sequence'])).toEqual(['1', '3']);
    const rows = await stage.sql(
      'SELECT state FROM endpoint_push WHERE callback_id LIKE $1 ORDER BY sequence',
      [`${queued.id}.%`],
    );
    expect(rows.map(({ state }) => state)).toEqual(['superseded', 'superseded', 'delivered']);
  });
});

describe('an endpoint that is switched off', () => {
  const off = (endpointId: string, enabled = false) =>
    createEndpoints(stage.test.database).change(endpointId, accountId, { enabled });

  it('gets nothing that is pending, and goes on with the next status once it is on again', async () => {
    await anOwner();
    let isBroken = true;
    const peer = await receiver((_received, response) => {
      if (isBroken) response.writeHead(500, { 'retry-after': '1' }).end();
      return isBroken;
    });
    const endpointId = await anEndpoint(peer.url);
    const queued = await create();
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });
    isBroken = false;
    await off(endpointId);

    await settled(queued.id);
    expect(await summaries(queued.id)).toMatchObject([{ state: 'stopped', stopReason: null }]);
    const running = await stage.move(queued, 'accepted');
    await off(endpointId, true);
    await stage.move(running, 'stored');

    await pushed(peer, 'queued', 'succeeded');
  });

  it('and one that is removed: what is pending ends, and the log stays', async () => {
    await anOwner();
    const peer = await receiver((_received, response) => {
      response.writeHead(500, { 'retry-after': '1' }).end();
      return true;
    });
    const endpointId = await anEndpoint(peer.url);
    const { id: taskId } = await create();
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });

    await createEndpoints(stage.test.database).remove(endpointId, accountId);

    await settled(taskId);
    expect(await summaries(taskId)).toMatchObject([{ endpointId, url: null, state: 'stopped' }]);
    const { attempts } = createCallbackDeliveries(stage.test.database);
    expect((await attempts({ taskId, limit: 10 })).items).toHaveLength(1);
  });
});

describe('two dispatchers', () => {
  it('push to an endpoint once what both of them find', async () => {
    await anOwner();
    await stage.startAside();
    const peer = await receiver();
    await anEndpoint(peer.url);

    const tasks = await Promise.all(Array.from({ length: 20 }, () => play()));

    for (const taskId of tasks) await settled(taskId);
    expect(peer.received).toHaveLength(60);
    expect(new Set(peer.received.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
  });
});
