import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createCallbackSecrets, createTaskMoves } from '@gateway/store';
import { aQueuedTask, openPeer, openReceiver, type Peer } from '@gateway/testing';
import { Webhook } from 'standardwebhooks';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
const peers: Pick<Peer, 'close'>[] = [];
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await Promise.all([api.close(), ...peers.map((peer) => peer.close())]);
});

async function opened<Opened extends Pick<Peer, 'close'>>(peer: Promise<Opened>): Promise<Opened> {
  const open = await peer;
  peers.push(open);
  return open;
}

type Method = 'get' | 'post' | 'patch' | 'delete';
const call = (apiKey: string, method: Method, path = '', body?: object) =>
  request(api.url)[method](`/v1/webhook-endpoints${path}`).set('x-api-key', apiKey).send(body);
const add = async (apiKey: string, body: object) =>
  (await call(apiKey, 'post', '', body).expect(200)).body as Record<string, unknown> & {
    readonly id: string;
  };

describe('POST /v1/webhook-endpoints', () => {
  it('asks the address for its consent once, signed, and keeps it as active', async () => {
    const { apiKey, accountId } = await api.aKey();
    const receiver = await opened(openReceiver());

    const { status, headers, body } = await call(apiKey, 'post', '', {
      url: receiver.url,
      events: ['succeeded', 'failed'],
      description: 'billing',
    });

    const { id } = body as { id: string };
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^endpoint_[0-9a-z]{26}$/),
        object: 'endpoint',
        url: receiver.url,
        description: 'billing',
        events: ['succeeded', 'failed'],
        state: 'active',
        reason: null,
        detail: null,
        verified_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
    expect(headers['location']).toBe(`/v1/webhook-endpoints/${id}`);
    const [{ secret } = { secret: '' }] = await createCallbackSecrets(api.database).valid(
      accountId,
    );
    expect(
      receiver.received.map(({ headers: sent, body: raw }) =>
        new Webhook(secret).verify(raw.toString(), sent as Record<string, string>),
      ),
    ).toMatchObject([{ type: 'url_verification' }]);
    expect((await call(apiKey, 'get', `/${id}`)).body).toEqual(body);
    expect((await call(apiKey, 'get')).body).toEqual({
      object: 'list',
      data: [body],
      first_id: id,
      last_id: id,
      has_more: false,
    });
  });

  it('keeps an address that does not consent as failed, says why, and asks again when told to', async () => {
    const { apiKey } = await api.aKey();
    let consents = false;
    const receiver = await opened(
      openReceiver((_received, response) => {
        if (!consents) response.end('<html>');
        return !consents;
      }),
    );

    const failed = await add(apiKey, { url: receiver.url });

    expect(failed).toMatchObject({
      state: 'failed',
      reason: 'mismatch',
      detail: expect.stringContaining('<html>'),
      verified_at: null,
      events: ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'],
    });
    consents = true;
    const verified = await call(apiKey, 'post', `/${failed.id}/verify`);
    expect(verified.body).toMatchObject({ state: 'active', reason: null, detail: null });
    await call(apiKey, 'post', `/${failed.id}/verify`).expect(200, verified.body as object);
    expect(receiver.received).toHaveLength(2);
  });

  it.each([
    ['an address inside', { url: 'http://10.0.0.1/hook' }, 'invalid_callback_url', 'url'],
    ['credentials', { url: 'https://a:b@receiver.example/' }, 'invalid_callback_url', 'url'],
    ['no address', {}, 'missing_parameter', 'url'],
    ['no event', { url: 'https://a.example/', events: [] }, 'invalid_parameter', 'events'],
    [
      'an unknown event',
      { url: 'https://a.example/', events: ['x'] },
      'invalid_parameter',
      undefined,
    ],
    [
      'what it does not know',
      { url: 'https://a.example/', secret: 's' },
      'unknown_parameter',
      'secret',
    ],
  ])('refuses %s, and keeps nothing', async (_name, body, code, param) => {
    const { apiKey } = await api.aKey();

    const refused = await call(apiKey, 'post', '', body);

    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { code, ...(param !== undefined && { param }) } },
    ]);
    expect((await call(apiKey, 'get')).body).toMatchObject({ data: [] });
  });

  it('takes an address once, five of them, and a few a minute', async () => {
    const { apiKey } = await api.aKey();
    const { url } = await opened(openReceiver());

    await add(apiKey, { url: `${url}/1` });
    expect((await call(apiKey, 'post', '', { url: `${url}/1` })).body).toMatchObject({
      error: { code: 'endpoint_exists', param: 'url' },
    });
    for (const path of ['/2', '/3', '/4', '/5']) await add(apiKey, { url: `${url}${path}` });

    // Six addresses were asked in this minute: what was refused is one of them.
    expect(await call(apiKey, 'post', '', { url: `${url}/6` })).toMatchObject({ status: 429 });
  });

  it('has no more than its account may have', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { url } = await opened(openReceiver());
    await api.database.pool.query(
      `INSERT INTO endpoint (id, account_id, url) SELECT 'endpoint_' || $1 || n, $1, 'https://receiver.example/' || n FROM generate_series(1, 5) n`,
      [accountId],
    );

    const refused = await call(apiKey, 'post', '', { url });

    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { code: 'too_many_endpoints' } },
    ]);
  });

  it('lets a key that may only read look, and do nothing else', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { apiKey: reader } = await api.aKey({ accountId, scopes: ['videos:read'] });
    const { url } = await opened(openReceiver());
    const { id } = await add(apiKey, { url });

    expect((await call(reader, 'get', `/${id}`)).status).toBe(200);
    for (const [method, path] of [
      ['post', ''],
      ['patch', `/${id}`],
      ['delete', `/${id}`],
      ['post', `/${id}/verify`],
      ['post', `/${id}/test`],
    ] as const) {
      expect((await call(reader, method, path, {})).status).toBe(403);
    }
  });
});

describe('/v1/webhook-endpoints/{id}', () => {
  it('is changed in what is named, disabled and enabled', async () => {
    const { apiKey } = await api.aKey();
    const { url } = await opened(openReceiver());
    const { id } = await add(apiKey, { url, description: 'a' });

    const change = async (body: object) => (await call(apiKey, 'patch', `/${id}`, body)).body;

    expect(await change({ enabled: false })).toMatchObject({ state: 'disabled', description: 'a' });
    expect(await change({ events: ['running'], description: null })).toMatchObject({
      state: 'disabled',
      description: null,
      events: ['running'],
    });
    expect(await change({ enabled: true })).toMatchObject({ state: 'active', events: ['running'] });
    expect(await change({ url: 'https://other.example/' })).toMatchObject({
      error: { code: 'unknown_parameter', param: 'url' },
    });
  });

  it('is tested, and removed', async () => {
    const { apiKey } = await api.aKey();
    const receiver = await opened(openReceiver());
    const { id } = await add(apiKey, { url: receiver.url });

    const { body } = await call(apiKey, 'post', `/${id}/test`).expect(200);

    expect(body).toMatchObject({
      object: 'callback.test',
      callback_url: receiver.url,
      delivered: true,
    });
    expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-gateway-event': 'callback.test' });
    expect((await call(apiKey, 'delete', `/${id}`)).body).toEqual({
      id,
      object: 'endpoint.deleted',
      deleted: true,
    });
    expect((await call(apiKey, 'get', `/${id}`)).body).toMatchObject({
      error: { code: 'endpoint_not_found' },
    });
  });

  it('is not there for another account, nor for an id that is none', async () => {
    const { apiKey } = await api.aKey();
    const { apiKey: stranger } = await api.aKey();
    const { url } = await opened(openPeer((_received, response) => void response.end()));
    const { id } = await add(apiKey, { url });

    for (const [method, path] of [
      ['get', `/${id}`],
      ['patch', `/${id}`],
      ['delete', `/${id}`],
      ['post', `/${id}/verify`],
      ['post', `/${id}/test`],
      ['get', '/endpoint_1'],
    ] as const) {
      const { status, body } = await call(stranger, method, path, {});
      expect([status, body]).toMatchObject([404, { error: { code: 'endpoint_not_found' } }]);
    }
  });
});

describe('a task that is pushed to endpoints alone', () => {
  it('shows them in its log, in the lists of each, and is redelivered to them', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { url } = await opened(openReceiver());
    const { id: endpointId } = await add(apiKey, { url });
    const task = await aQueuedTask(api.database, accountId, { callbackUrl: null });
    await createTaskMoves(api.database).move(task, 'accepted', { changes: { step: 'poll' } });
    const get = (path: string) => request(api.url).get(path).set('x-api-key', apiKey);
    const post = (path: string, body?: object) =>
      request(api.url).post(path).set('x-api-key', apiKey).send(body);

    expect((await get(`/v1/videos/${task.id}/callbacks`)).body).toMatchObject({
      data: [],
      callback: null,
      endpoints: [{ endpoint_id: endpointId, url, state: 'verified', pending: 2 }],
    });
    expect((await get('/v1/callbacks')).body).toMatchObject({ data: [] });
    expect((await get(`/v1/callbacks?endpoint=${endpointId}&state=pending`)).body).toMatchObject({
      data: [{ id: task.id, callback_url: url, endpoint_id: endpointId, pending: 2 }],
    });
    expect((await get('/v1/callbacks?endpoint=x')).body).toMatchObject({
      error: { code: 'invalid_parameter', param: 'endpoint' },
    });

    expect((await post(`/v1/videos/${task.id}/callbacks/redeliver`)).body).toMatchObject({
      id: task.id,
      callback: { state: 'verified' },
      endpoints: [{ endpoint_id: endpointId }],
    });
    const many = { state: 'pending', endpoint: endpointId };
    expect((await post('/v1/callbacks/redeliver', many)).body).toMatchObject({
      redelivered: 1,
      video_ids: [task.id],
    });
    const rows = await api.database.pool.query<{ asked: boolean }>(
      'SELECT manual_at IS NOT NULL AS asked FROM endpoint_callback WHERE task_id = $1',
      [task.id],
    );
    expect(rows.rows).toEqual([{ asked: true }]);
  });
});
