import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asChat,
  asMessages,
  behave,
  chatCompletion,
  chatEvents,
  eventStream,
  hello,
  messagesCompletion,
  messagesEvents,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
} from './text-stage.ts';

/**
 * Vendors and models of these tests: each dialect behind each route, plain and under another name.
 */
const yamlOf = (url: string): string => `
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, routes: [{ provider: c, model: up-c }] }
  alias-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  alias-c: { kind: text, routes: [{ provider: c, model: up-c }] }
  priced-m: { kind: text, token_quota: { input: 3, output: 15, cached_input: 0.3, per: 1000 }, routes: [{ provider: m, model: up-m }] }
  priced-c: { kind: text, token_quota: { input: 3, output: 15, cached_input: 0.3, per: 1000 }, routes: [{ provider: c, model: up-c }] }
`;

let stage: TextStage;
let upstream: Upstream;
let apiKey: string;

beforeAll(async () => {
  upstream = await openUpstream(behave);
  stage = await openTextStage({ yaml: yamlOf(upstream.url) });
  ({ apiKey } = await stage.aKey());
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});

const ask = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  post(`${stage.url}${path}`, { headers: { ...asMessages(apiKey), ...headers }, body });

describe('a request to an upstream of the same dialect', () => {
  it.each([
    ['/v1/messages?beta=true', 'up-m', '/v1/messages?beta=true', messagesCompletion],
    ['/v1/chat/completions', 'up-c', '/v1/chat/completions', chatCompletion],
  ])(
    'POST %s reaches the upstream byte for byte, and its response comes back so',
    async (path, model, reached, response) => {
      const body = `{ "model": "${model}",  "max_tokens": 5, "messages": [ {"role":"user","content":"h\\u00e9"} ], "unknown_field": {"b":1,"a":2} }`;
      const client = ask(path, body, { 'x-custom': 'kept', 'anthropic-beta': 'one,two' });

      expect(await client.body).toBe(JSON.stringify(response));
      const seen = upstream.received.at(-1)!;
      expect(seen.path).toBe(reached);
      expect(seen.body.toString()).toBe(body);
      expect(seen.headers).toMatchObject({ 'x-custom': 'kept', 'anthropic-beta': 'one,two' });
      const headers = await client.headers;
      expect(headers).toMatchObject({
        'x-vendor-note': 'kept',
        'x-gateway-attempts': '1',
        'x-upstream-request-id': 'req_upstream',
      });
      expect(headers['x-request-id']).toMatch(/^req_/);
    },
  );

  it("never shows the upstream the client's key, nor the client the operator's", async () => {
    const client = ask('/v1/messages', hello('up-m'), {
      authorization: `Bearer ${apiKey}`,
      cookie: 'a=b',
    });
    await client.body;

    const { headers } = upstream.received.at(-1)!;
    expect(JSON.stringify(headers)).not.toContain(apiKey);
    expect(headers).toMatchObject({
      'x-api-key': 'vendor-secret',
      'anthropic-version': '2023-06-01',
    });
    expect(headers.cookie).toBeUndefined();
    expect(JSON.stringify(await client.headers)).not.toContain('vendor-secret');
  });

  it.each([
    ['/v1/messages', 'alias-m', 'up-m'],
    ['/v1/chat/completions', 'alias-c', 'up-c'],
  ])(
    'POST %s changes the name of an aliased model on the way there and back, streaming and not',
    async (path, alias, name) => {
      const whole = JSON.parse(await ask(path, hello(alias)).body) as { model: string };
      expect(whole.model).toBe(alias);
      expect(upstream.received.at(-1)!.json['model']).toBe(name);

      const streamed = await ask(path, hello(alias, { stream: true })).body;
      expect(streamed).toContain(`"model":"${alias}"`);
      expect(streamed).not.toContain(`"model":"${name}"`);
    },
  );

  it.each([
    ['/v1/messages', 'up-m', messagesEvents],
    ['/v1/chat/completions', 'up-c', chatEvents],
  ])("POST %s streams the upstream's bytes", async (path, model, events) => {
    const client = ask(
      path,
      hello(model, { stream: true, stream_options: { include_usage: true } }),
    );

    expect(await client.body).toBe(events.join(''));
    expect((await client.headers)['content-type']).toMatch(/^text\/event-stream/);
  });

  it('asks a chat upstream for usage where tokens are charged, and keeps to itself what the client did not ask for', async () => {
    const streamed = await ask('/v1/chat/completions', hello('priced-c', { stream: true })).body;

    expect(upstream.received.at(-1)!.json['stream_options']).toEqual({ include_usage: true });
    expect(streamed).not.toContain('"usage":{');
    expect(streamed.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('a request to an upstream of the other dialect', () => {
  it('responds to a messages client from a chat upstream', async () => {
    const client = ask('/v1/messages', hello('alias-c', { system: 'Be kind.', top_k: 3 }));

    expect(JSON.parse(await client.body)).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'alias-c',
      content: [{ type: 'text', text: 'Hello there.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 11, cache_read_input_tokens: 5, output_tokens: 7 },
    });
    const { json, headers, path } = upstream.received.at(-1)!;
    expect(path).toBe('/v1/chat/completions');
    expect(json).toMatchObject({
      model: 'up-c',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Say hello.' },
      ],
    });
    expect(headers.authorization).toBe('Bearer vendor-secret');
    expect(headers['anthropic-version']).toBeUndefined();
    expect((await client.headers)['x-gateway-dropped-params']).toContain('top_k');
  });

  it('responds to a chat client from a messages upstream', async () => {
    const client = ask('/v1/chat/completions', hello('alias-m', { seed: 3 }));

    expect(JSON.parse(await client.body)).toMatchObject({
      object: 'chat.completion',
      model: 'alias-m',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello there.' },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 16,
        completion_tokens: 7,
        total_tokens: 23,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    });
    expect((await client.headers)['x-gateway-dropped-params']).toContain('seed');
  });

  it('streams to a messages client from a chat upstream', async () => {
    const streamed = await ask('/v1/messages', hello('up-c', { stream: true })).body;

    expect([...streamed.matchAll(/^event: (\w+)/gm)].map(([, name]) => name)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(streamed).toContain('"output_tokens":7');
  });

  it('streams to a chat client from a messages upstream', async () => {
    const streamed = await ask('/v1/chat/completions', hello('up-m', { stream: true })).body;

    expect(streamed).toMatch(/"delta":\{"role":"assistant"/);
    expect(streamed).toContain('"finish_reason":"stop"');
    expect(streamed.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('usage', () => {
  it('is recorded once for each request, as the upstream reported it', async () => {
    const own = await stage.aKey();
    for (const [path, model] of [
      ['/v1/messages', 'priced-m'],
      ['/v1/chat/completions', 'priced-c'],
      ['/v1/messages', 'priced-c'],
      ['/v1/chat/completions', 'priced-m'],
    ] as const) {
      for (const stream of [false, true]) {
        await post(`${stage.url}${path}`, {
          headers: asMessages(own.apiKey),
          body: hello(model, { stream }),
        }).body;
      }
    }

    const records = await eventually(async () => {
      const found = (await stage.usage(8)).filter((record) => record.key_id === own.keyId);
      expect(found).toHaveLength(8);
      return found;
    });
    for (const record of records) {
      expect(record).toMatchObject({
        account_id: own.accountId,
        outcome: 'succeeded',
        status: 200,
        input_tokens: 11,
        cached_input_tokens: 5,
        output_tokens: 7,
        estimated: false,
      });
      // 11 × 3/1000 + 5 × 0.3/1000 + 7 × 15/1000 quota, in billionths
      expect(record.cost_nano).toBe('139500000');
    }
    expect(new Set(records.map(({ id }) => id)).size).toBe(8);
  });

  it('of a stream that the client left is estimated from what went through, and marked so', async () => {
    const slow = await openUpstream(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, 3).join(''));
      response.write(messagesEvents[2]!.replace('Hello', 'x'.repeat(400)));
    });
    const other = await openTextStage({ yaml: yamlOf(slow.url) });
    try {
      const { apiKey: key } = await other.aKey();
      const client = post(`${other.url}/v1/messages`, {
        headers: asMessages(key),
        body: hello('priced-m', { stream: true }),
      });
      await eventually(() => {
        expect(client.text()).toContain('xxx');
      });
      client.leave();

      const [record] = await other.usage(1);
      expect(record).toMatchObject({
        outcome: 'aborted',
        input_tokens: 11,
        cached_input_tokens: 5,
        estimated: true,
      });
      expect(record!.output_tokens).toBeGreaterThanOrEqual(125);
      expect(record!.output_tokens).toBeLessThan(150);
    } finally {
      await other.close();
      await slow.close();
    }
  });
});

describe('count_tokens', () => {
  it('is counted by an upstream that can', async () => {
    const counting = await openUpstream(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"input_tokens":42}');
    });
    const other = await openTextStage({ yaml: yamlOf(counting.url) });
    try {
      const { apiKey: key } = await other.aKey();
      const client = post(`${other.url}/v1/messages/count_tokens?beta=true`, {
        headers: asMessages(key),
        body: { model: 'alias-m', messages: [{ role: 'user', content: 'hi' }] },
      });

      expect(JSON.parse(await client.body)).toEqual({ input_tokens: 42 });
      expect(counting.received[0]).toMatchObject({
        path: '/v1/messages/count_tokens?beta=true',
        json: { model: 'up-m' },
      });
    } finally {
      await other.close();
      await counting.close();
    }
  });

  it('is estimated for an upstream of the other dialect', async () => {
    const client = ask('/v1/messages/count_tokens', {
      model: 'up-c',
      messages: [{ role: 'user', content: 'x'.repeat(4_000) }],
    });

    const { input_tokens: tokens } = JSON.parse(await client.body) as { input_tokens: number };
    expect(tokens).toBeGreaterThanOrEqual(1_000);
    expect(tokens).toBeLessThan(1_600);
  });
});

describe('asking with either header', () => {
  it.each([['x-api-key'], ['authorization']])(
    'takes the key from %s on both routes',
    async (name) => {
      const value = name === 'authorization' ? `Bearer ${apiKey}` : apiKey;
      for (const path of ['/v1/messages', '/v1/chat/completions']) {
        expect(
          await post(`${stage.url}${path}`, {
            headers: { [name]: value, 'anthropic-version': '2026-10-21' },
            body: hello('up-m'),
          }).status,
        ).toBe(200);
      }
    },
  );

  it('takes the good one of two', async () => {
    expect(
      await ask('/v1/messages', hello('up-m'), { authorization: 'Bearer something-else' }).status,
    ).toBe(200);
    expect(
      await post(`${stage.url}/v1/messages`, {
        headers: {
          ...asChat(apiKey),
          'x-api-key': 'something-else',
          'anthropic-version': '2023-06-01',
        },
        body: hello('up-m'),
      }).status,
    ).toBe(200);
  });
});
