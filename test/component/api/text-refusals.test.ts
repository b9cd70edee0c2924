import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asChat,
  asMessages,
  behave,
  hello,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
} from './text-stage.ts';

const yamlOf = (url: string): string => `
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, routes: [{ provider: c, model: up-c }] }
  priced: { kind: text, token_quota: { input: 3, output: 15, per: 1000 }, routes: [{ provider: c, model: up-c }] }
limits:
  default_key: { requests_per_minute: 1000, concurrent_requests: 2 }
`;

let stage: TextStage;
let upstream: Upstream;
let apiKey: string;

beforeAll(async () => {
  upstream = await openUpstream((request) => {
    if (request.json['hold'] !== true) behave(request);
  });
  stage = await openTextStage({ yaml: yamlOf(upstream.url) });
  ({ apiKey } = await stage.aKey());
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});

const routes = [
  { dialect: 'messages', path: '/v1/messages', headers: asMessages, model: 'up-m' },
  { dialect: 'chat', path: '/v1/chat/completions', headers: asChat, model: 'up-c' },
] as const;

/** The body of an error, checked to be in its route's dialect. */
async function errorOf(
  client: ReturnType<typeof post>,
  dialect: string,
): Promise<{
  status: number;
  type: string;
  message: string;
  code?: string;
  param?: string | null;
}> {
  const body = JSON.parse(await client.body) as {
    type?: string;
    request_id?: string;
    error: { type: string; message: string; code?: string; param?: string | null };
  };
  if (dialect === 'messages') {
    expect(body).toEqual({
      type: 'error',
      error: { type: expect.any(String), message: expect.any(String) },
      request_id: expect.any(String),
    });
  } else {
    expect(body.error).toMatchObject({
      message: expect.any(String),
      type: expect.any(String),
      code: expect.any(String),
    });
  }
  return { status: await client.status, ...body.error };
}

describe.each(routes)('POST $path refuses', ({ dialect, path, headers, model }) => {
  const ask = (body: unknown, extra: Record<string, string> = {}, key = apiKey) =>
    post(`${stage.url}${path}`, { headers: { ...headers(key), ...extra }, body });
  const called = () => upstream.received.length;

  it.each([
    [
      'no key',
      () =>
        post(`${stage.url}${path}`, {
          headers: { 'anthropic-version': '2023-06-01' },
          body: hello(model),
        }),
      401,
      'authentication_error',
    ],
    [
      'an unknown key',
      () => ask(hello(model), {}, 'sk-gw-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
      401,
      'authentication_error',
    ],
    ['a body that is not JSON', () => ask('{"model":'), 400, 'invalid_request_error'],
    ['an empty body', () => ask(''), 400, 'invalid_request_error'],
    ['a list', () => ask([]), 400, 'invalid_request_error'],
    ['no messages', () => ask({ model, max_tokens: 1 }), 400, 'invalid_request_error'],
    [
      'a role that nobody has',
      () => ask({ model, max_tokens: 1, messages: [{ role: 'robot', content: 'x' }] }),
      400,
      'invalid_request_error',
    ],
    [
      'a temperature beyond 2',
      () => ask(hello(model, { temperature: 2.5 })),
      400,
      'invalid_request_error',
    ],
    ['max_tokens of 0', () => ask(hello(model, { max_tokens: 0 })), 400, 'invalid_request_error'],
    ['a model that is not there', () => ask(hello('nope')), 404, 'not_found_error'],
    [
      'a multipart body',
      () => ask(hello(model), { 'content-type': 'multipart/form-data; boundary=x' }),
      415,
      undefined,
    ],
    ['a compressed body', () => ask(hello(model), { 'content-encoding': 'gzip' }), 415, undefined],
    [
      'a body beyond the limit',
      () => ask(hello(model, { filler: 'x'.repeat(1_000_001) })),
      413,
      undefined,
    ],
  ] as const)(
    '%s, in the dialect of the route, and calls nobody',
    async (_what, client, status, type) => {
      const before = called();
      const error = await errorOf(client(), dialect);

      expect(error.status).toBe(status);
      if (type !== undefined) expect(error.type).toBe(type);
      expect(called()).toBe(before);
    },
  );

  it('another method, naming the one there is', async () => {
    const response = await fetch(`${stage.url}${path}`, { headers: headers(apiKey) });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('a path under it that does not exist', async () => {
    expect(
      await errorOf(
        post(`${stage.url}${path}/batches`, { headers: headers(apiKey), body: {} }),
        dialect,
      ),
    ).toMatchObject({ status: 404, type: 'not_found_error' });
  });

  it('a key without the scope, and a model the key may not use', async () => {
    const { apiKey: videosOnly } = await stage.aKey({ scopes: ['videos:write'] });
    const { apiKey: oneModel } = await stage.aKey({ models: ['priced'] });

    expect(await errorOf(ask(hello(model), {}, videosOnly), dialect)).toMatchObject({
      status: 403,
      type: 'permission_error',
    });
    expect(await errorOf(ask(hello(model), {}, oneModel), dialect)).toMatchObject({
      status: 403,
      type: 'permission_error',
    });
  });

  it('an account that has nothing left, where tokens are charged, before the upstream is called', async () => {
    const { apiKey: poor } = await stage.aKey({ quota: 0 });
    const before = called();

    expect((await errorOf(ask(hello('priced'), {}, poor), dialect)).status).toBe(402);
    expect(called()).toBe(before);
    expect(await ask(hello(model), {}, poor).status).toBe(200);
  });

  it('more requests a minute than the key may make, with the headers of its dialect', async () => {
    const { keyId, apiKey: slow } = await stage.aKey();
    await stage.database.pool.query('UPDATE api_key SET requests_per_minute = 3 WHERE id = $1', [
      keyId,
    ]);
    const clients = [];
    for (let index = 0; index < 5; index += 1) {
      const client = ask(hello(model), {}, slow);
      await client.body;
      clients.push(client);
    }

    expect(await Promise.all(clients.map(({ status }) => status))).toEqual([
      200, 200, 200, 429, 429,
    ]);
    const last = await clients[4]!.headers;
    expect(Number(last['retry-after'])).toBeGreaterThan(0);
    expect(Number(last['retry-after'])).toBeLessThanOrEqual(60);
    expect(last).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
    if (dialect === 'messages') {
      expect(last['anthropic-ratelimit-requests-reset']).toMatch(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      );
    } else expect(last['x-ratelimit-reset-requests']).toMatch(/^\d+s$/);
  });

  it('more requests at once than the key may run, and takes new ones when one has ended', async () => {
    const { apiKey: busy } = await stage.aKey();
    const before = called();
    const held = [
      ask(hello(model, { hold: true }), {}, busy),
      ask(hello(model, { hold: true }), {}, busy),
    ];
    await eventually(() => {
      expect(called()).toBe(before + 2);
    });

    expect(await errorOf(ask(hello(model), {}, busy), dialect)).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
    });
    for (const request of upstream.received.slice(before)) behave(request);
    await Promise.all(held.map(({ body }) => body));
    expect(await ask(hello(model), {}, busy).status).toBe(200);
  });
});

describe('the version header of the messages routes', () => {
  const ask = (version: Record<string, string>) =>
    post(`${stage.url}/v1/messages`, {
      headers: { 'x-api-key': apiKey, ...version },
      body: hello('up-m'),
    });

  it.each([
    ['is missing', {}],
    ['is no date', { 'anthropic-version': 'latest' }],
    ['names a day before the first', { 'anthropic-version': '2023-01-01' }],
  ])('is refused when it %s', async (_what, version) => {
    const error = await errorOf(ask(version), 'messages');

    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(error.message).toContain('anthropic-version');
  });

  it.each(['2023-06-01', '2026-10-21'])('may be %s', async (version) => {
    expect(await ask({ 'anthropic-version': version }).status).toBe(200);
  });
});
