import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { aQueuedTask, eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

const origin = 'https://app.example.com';
let api: ApiUnderTest;
let key: Awaited<ReturnType<ApiUnderTest['aKey']>>;
beforeAll(async () => {
  api = await openApi({ edge: { corsOrigins: origin } });
  key = await api.aKey({ quota: 100_000 });
});
afterAll(() => api.close());

const accept = 'application/json, text/event-stream';
const send = (message: unknown, headers: Record<string, string> = {}) =>
  request(api.url)
    .post('/mcp')
    .set({ accept, authorization: `Bearer ${key.apiKey}`, ...headers })
    .send(message as object);
const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const soon = <Value>(moment: () => Value | Promise<Value>): Promise<Value> =>
  eventually(moment, { withinMs: 20_000, everyMs: 50 });
/** The one message of a stream. */
const messageIn = (text: string): { result: Record<string, unknown> } =>
  JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as never;
const codeOf = (body: unknown): unknown => (body as { error?: { code?: unknown } }).error?.code;

describe('/mcp', () => {
  it('counts a call once, whatever it does, and lets its calls have what the key may', async () => {
    const limited = await api.aKey({ quota: 1_000, requestsPerMinute: 3, scopes: ['videos:read'] });
    const headers = { authorization: `Bearer ${limited.apiKey}` };

    const first = await send(call('quote_video', { prompt: 'a boat' }), headers);
    const second = await send(call('create_video', { prompt: 'a boat' }), headers);
    const third = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    const fourth = await send(call('list_models'), headers);

    expect(first.headers['x-ratelimit-remaining']).toBe('2');
    expect(messageIn(second.text).result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'scope_missing', status: 403 } },
    });
    expect(third.headers['x-ratelimit-remaining']).toBe('0');
    expect([fourth.status, codeOf(fourth.body)]).toEqual([429, 'rate_limit_exceeded']);
  });

  it('takes keys only, and pages of allowed origins', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    const keyless = await request(api.url).post('/mcp').set({ accept }).send(list);
    const cookie = await request(api.url)
      .post('/mcp')
      .set({ accept, cookie: 'gateway_session=abc', 'x-gateway-console': '1' })
      .send(list);
    const wrong = await send(list, { authorization: 'Bearer sk-gw-aaaaaaaaaaaaaaaaaaaaaaaaaaaa' });
    const foreign = await send(list, { origin: 'https://evil.example' });
    const allowed = await send(list, { origin });

    expect([keyless.status, codeOf(keyless.body)]).toEqual([401, 'missing_api_key']);
    expect([cookie.status, codeOf(cookie.body)]).toEqual([401, 'missing_api_key']);
    expect([wrong.status, codeOf(wrong.body)]).toEqual([401, 'invalid_api_key']);
    expect([foreign.status, codeOf(foreign.body)]).toEqual([403, 'origin_not_allowed']);
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, origin]);
  });

  it('refuses batches, large and dense bodies, other methods and parameters', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    const batch = await send(Array.from({ length: 100 }, () => list));
    const large = await send({ ...list, params: { padding: 'x'.repeat(1_100_000) } });
    const dense = await send({ ...list, params: { all: Array.from({ length: 9_000 }, () => 1) } });
    const double = await request(api.url)
      .post('/mcp')
      .set({ accept, authorization: `Bearer ${key.apiKey}`, 'content-type': 'application/json' })
      .send('{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}');
    const query = await request(api.url)
      .post('/mcp?max=1')
      .set({ accept, authorization: `Bearer ${key.apiKey}` })
      .send(list);
    const stream = await request(api.url)
      .get('/mcp')
      .set({ accept, authorization: `Bearer ${key.apiKey}` });
    const unlike = await send('"hello"', { 'content-type': 'application/json' });

    expect([batch.status, codeOf(batch.body)]).toEqual([400, 'invalid_parameter']);
    expect([large.status, codeOf(large.body)]).toEqual([413, 'payload_too_large']);
    expect([dense.status, codeOf(dense.body)]).toEqual([400, 'invalid_parameter']);
    expect([double.status, codeOf(double.body)]).toEqual([400, 'invalid_json']);
    expect([query.status, codeOf(query.body)]).toEqual([400, 'unknown_parameter']);
    expect([stream.status, codeOf(stream.body)]).toEqual([405, 'method_not_allowed']);
    expect(unlike.status).toBe(400);
  });

  it('opens no stream that outlives its call', async () => {
    const { status, text } = await send(
      {
        jsonrpc: '2.0',
        id: 7,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );

    expect(status).toBe(200);
    expect(text).toContain('"error"');
  });
});

describe('a client of /mcp that leaves early', () => {
  /** The version of the protocol in which a call is answered once it has ended, and not before. */
  const version = '2026-07-28';
  const waiting = (id: string) => ({
    ...call('get_video', { id, wait_seconds: 50 }),
    params: {
      name: 'get_video',
      arguments: { id, wait_seconds: 50 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });

  it('leaves nothing under way', async () => {
    const strict = await openApi({ streams: { perKey: 1 } });
    try {
      const { apiKey, accountId } = await strict.aKey({ quota: 1_000 });
      const { id } = await aQueuedTask(strict.database, accountId);
      const post = (message: object, headers: object, signal: AbortSignal) =>
        fetch(`${strict.url}/mcp`, {
          method: 'POST',
          headers: {
            accept,
            'content-type': 'application/json',
            authorization: `Bearer ${apiKey}`,
            ...headers,
          },
          body: JSON.stringify(message),
          signal,
        });
      const modern = {
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': 'get_video',
      };
      const list = async () =>
        (
          await post(
            { jsonrpc: '2.0', id: 1, method: 'tools/list' },
            {},
            AbortSignal.timeout(9_000),
          )
        ).status;
      const leaving = new AbortController();
      const left = post(waiting(id), modern, leaving.signal).catch(() => 'left');
      await soon(async () => {
        expect(await list()).toBe(429);
      });

      leaving.abort();

      expect(await left).toBe('left');
      await soon(async () => {
        expect(await list()).toBe(200);
      });
    } finally {
      await strict.close();
    }
  });
});

describe('a budget of /mcp', () => {
  const boat = { prompt: 'a boat', duration: 4, resolution: '480p', wait_seconds: 0 };
  const create = async (url: string, headers: Record<string, string>, args: object = {}) => {
    const { text } = await request(url)
      .post('/mcp')
      .set({ accept, ...headers })
      .send(call('create_video', { ...boat, ...args }));
    return messageIn(text).result as {
      isError?: boolean;
      structuredContent: { id: string; error?: { code: string } };
    };
  };
  const cost = 4 * 60;
  const spender = async (budget: Record<string, string>) => {
    const { apiKey } = await api.aKey({ quota: 100_000 });
    return { authorization: `Bearer ${apiKey}`, ...budget };
  };

  it('is exact for creations at once, on several replicas', async () => {
    const other = await api.aReplica();
    const headers = await spender({ 'x-gateway-max-quota': String(3 * cost + 1) });

    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(index % 2 ? other : api.url, headers)),
    );

    expect(all.filter(({ isError }) => isError !== true)).toHaveLength(3);
    expect(
      all.filter(({ isError }) => isError).map((each) => each.structuredContent.error),
    ).toEqual(
      Array.from({ length: 9 }, () => expect.objectContaining({ code: 'budget_exceeded' })),
    );
  });

  it('gets back what a video that ended did not cost, and what a refused one set aside', async () => {
    const headers = await spender({
      'x-gateway-max-quota': String(cost),
      'x-gateway-budget': 'a.b',
    });

    const refused = await create(api.url, headers, { callback_url: 'http://10.0.0.1/x' });
    const first = await create(api.url, headers);
    const tooMuch = await create(api.url, headers);
    const { id } = first.structuredContent;
    await request(api.url).post(`/v1/videos/${id}/cancel`).set(headers).expect(200);
    const second = await create(api.url, headers);

    expect(refused.isError).toBe(true);
    expect([first.isError, tooMuch.isError, second.isError]).toEqual([undefined, true, undefined]);
  });

  it('counts a creation once, however often it is asked for', async () => {
    const headers = await spender({ 'x-gateway-max-quota': String(cost) });
    const args = { idempotency_key: 'boat 1' };

    const [one, two] = [await create(api.url, headers, args), await create(api.url, headers, args)];

    expect(two.structuredContent.id).toBe(one.structuredContent.id);
  });

  it('gives nothing back that another call with the same key has set aside', async () => {
    const headers = await spender({ 'x-gateway-max-quota': String(cost) });
    const args = { idempotency_key: 'boat 2' };

    const made = await create(api.url, headers, args);
    const other = await create(api.url, headers, { ...args, seed: 7 });
    const more = await create(api.url, headers);

    expect(made.isError).toBeUndefined();
    expect(other.structuredContent.error?.code).toBe('idempotency_key_reused');
    expect(more.structuredContent.error?.code).toBe('budget_exceeded');
  });

  it('is free again where the account may have no more videos, and after a video was deleted', async () => {
    const { apiKey, accountId, keyId } = await api.aKey({ quota: 100_000 });
    const headers = { authorization: `Bearer ${apiKey}`, 'x-gateway-max-quota': String(cost) };
    const plenty = { ...headers, 'x-gateway-max-quota': String(2 * cost) };
    const { pool } = api.database;
    await pool.query('UPDATE account SET active_videos_limit = 1 WHERE id = $1', [accountId]);

    const { id } = (await create(api.url, headers)).structuredContent;
    const full = await create(api.url, plenty);
    const used = await pool.query('SELECT used_quota FROM agent_budget WHERE key_id = $1', [keyId]);
    await request(api.url).post(`/v1/videos/${id}/cancel`).set(headers).expect(200);
    await soon(() => request(api.url).delete(`/v1/videos/${id}`).set(headers).expect(200));
    const next = await create(api.url, headers);

    expect(full.structuredContent.error?.code).toBe('too_many_tasks');
    expect(used.rows).toEqual([{ used_quota: cost }]);
    expect(next.isError).toBeUndefined();
  });

  it('refuses a key that the gateway may have forgotten, and one that no header can carry', async () => {
    const headers = await spender({ 'x-gateway-max-quota': String(9 * cost) });
    const args = { idempotency_key: 'boat 3' };
    await create(api.url, headers, args);
    await api.database.pool.query(
      `UPDATE agent_budget_use SET created_at = now() - interval '23 hours 1 minute' WHERE creation = 'boat 3'`,
    );

    const old = await create(api.url, headers, args);
    const bad = await create(api.url, headers, { idempotency_key: 'Boot für zwei ⛵' });

    expect(old.structuredContent.error).toMatchObject({
      code: 'idempotency_key_reused',
      param: 'idempotency_key',
    });
    expect(bad.structuredContent.error).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('printable ASCII'),
    });
  });

  it('is refused when it cannot be read, or has a name and no size', async () => {
    const bad = [
      { 'x-gateway-max-quota': 'much' },
      { 'x-gateway-max-quota': '5', 'x-gateway-budget': 'a b' },
      { 'x-gateway-budget': 'a' },
      { 'x-gateway-budget': 'default' },
      { 'x-gateway-budget': '' },
    ];
    for (const headers of bad) {
      const { status } = await send(call('list_models'), headers);
      expect([headers, status]).toEqual([headers, 400]);
    }
    for (const query of ['budget=default', 'budget=a', 'budget=', 'max_quota=', 'max_quota=-1']) {
      const { status, body } = await request(api.url)
        .post(`/mcp?${query}`)
        .set({ accept, authorization: `Bearer ${key.apiKey}` })
        .send(call('list_models'));
      expect([query, status]).toEqual([query, 400]);
      expect(codeOf(body)).toMatch(/^(missing|invalid)_parameter$/);
    }
  });
});
