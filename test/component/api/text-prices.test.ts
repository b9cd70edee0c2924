import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
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
  type UpstreamRequest,
} from './text-stage.ts';

/** A token costs one unit, written to a cache two, for an hour three. */
const prices = JSON.stringify({
  input: 1,
  output: 1,
  cached_input: 1,
  cache_write: 2,
  cache_write_1h: 3,
  per: 1,
  server_tools: { web_search: 100, code_execution: 7 },
  service_tier: { flex: 0.5, priority: 2, fast: 6 },
});

const yamlOf = (url: string): string => `
limits: { default_key: { concurrent_requests: 100, requests_per_minute: 1000 } }
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}", vendor: openai }
models:
  up-m: { kind: text, token_quota: ${prices}, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, token_quota: ${prices}, routes: [{ provider: c, model: up-c }] }
  unpriced:
    kind: text
    token_quota: { input: 1, output: 1, per: 1 }
    routes: [{ provider: c, model: up-c }]
`;

const webSearch = { type: 'web_search_20250305', name: 'web_search' };
const pathOf = { messages: '/v1/messages', chat: '/v1/chat/completions' } as const;

let stage: TextStage;
let upstream: Upstream;
let respondNow: (request: UpstreamRequest) => void = behave;
beforeAll(async () => {
  upstream = await openUpstream((request) => {
    respondNow(request);
  });
  stage = await openTextStage({ yaml: yamlOf(upstream.url) });
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});

/** A key of an account of its own, in front of an upstream that responds so. */
const staged = async (respond: (request: UpstreamRequest) => void = behave, quota = 10_000) => {
  respondNow = respond;
  const { apiKey, keyId } = await stage.aKey({ quota });
  return {
    ask: (dialect: keyof typeof pathOf, body: object) =>
      post(`${stage.url}${pathOf[dialect]}`, { headers: asMessages(apiKey), body }),
    record: () =>
      eventually(async () => {
        const record = (await stage.usage(1)).find(({ key_id: key }) => key === keyId);
        if (record === undefined) throw new Error('no usage record yet');
        return record;
      }),
  };
};
const json =
  (body: object) =>
  ({ response }: UpstreamRequest): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const stream =
  (events: readonly string[]) =>
  ({ response }: UpstreamRequest): void => {
    response.writeHead(200, eventStream);
    response.end(events.join(''));
  };
const units = (quota: number): string => String(BigInt(quota) * 1_000_000_000n);

const written = {
  cache_creation_input_tokens: 9,
  cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 4 },
};
const messagesUsage = {
  ...messagesCompletion.usage,
  ...written,
  server_tool_use: { web_search_requests: 3 },
  service_tier: 'priority',
};
/** 11 of input, 5 cached, 5 and 4 written, 7 of output, twice; three searches. */
const messagesCost = units((11 + 5 + 5 * 2 + 4 * 3 + 7) * 2 + 300);
const extraRecord = { cache_write_tokens: 9, cache_write_1h_tokens: 4, server_tool_uses: 3 };

it.each(['messages', 'chat'] as const)(
  'what a messages upstream reports is charged at its prices, asked in %s',
  async (dialect) => {
    const { record, ask } = await staged(json({ ...messagesCompletion, usage: messagesUsage }));

    expect(await ask(dialect, hello('up-m')).status).toBe(200);
    expect(await record()).toMatchObject({
      ...extraRecord,
      service_tier: 'priority',
      cost_nano: messagesCost,
    });
  },
);

it.each(['messages', 'chat'] as const)(
  'so is what a stream of it reports, asked in %s',
  async (dialect) => {
    const [start = '', ...rest] = messagesEvents;
    const { record, ask } = await staged(
      stream([
        start.replace(
          '"input_tokens":11',
          `"input_tokens":11,${JSON.stringify(written).slice(1, -1)}`,
        ),
        ...rest.map((event) =>
          event.replace(
            '"output_tokens":7',
            '"output_tokens":7,"server_tool_use":{"web_search_requests":3},"service_tier":"priority"',
          ),
        ),
      ]),
    );

    expect(await ask(dialect, hello('up-m', { stream: true })).body).toContain('Hello');
    expect(await record()).toMatchObject({
      ...extraRecord,
      service_tier: 'priority',
      cost_nano: messagesCost,
    });
  },
);

it.each([
  ['messages', false],
  ['messages', true],
  ['chat', false],
  ['chat', true],
] as const)(
  'a tier that a chat upstream names is charged by its factor, asked in %s, streamed: %s',
  async (dialect, isStream) => {
    const { record, ask } = await staged(
      isStream
        ? stream(chatEvents.map((event) => event.replace('"id"', '"service_tier":"flex","id"')))
        : json({ ...chatCompletion, service_tier: 'flex' }),
    );

    expect(await ask(dialect, hello('up-c', { stream: isStream })).body).toContain('Hello');
    expect(await record()).toMatchObject({
      service_tier: 'flex',
      cost_nano: '11500000000',
    });
  },
);

it.each([
  ['messages', 'up-m', { tools: [webSearch] }],
  ['messages', 'up-m', { speed: 'fast' }],
  ['messages', 'up-m', { service_tier: 'priority' }],
  ['chat', 'up-c', { service_tier: 'flex' }],
  ['chat', 'up-c', { web_search_options: {} }],
] as const)('what has a price goes to the upstream: %s, %s, %j', async (dialect, model, fields) => {
  const { ask } = await staged();

  expect(await ask(dialect, hello(model, fields)).status).toBe(200);
  expect(upstream.received.at(-1)?.json).toMatchObject(fields);
});

it.each([
  ['messages', 'up-m', { tools: [{ type: 'web_fetch_20250910', name: 'f' }] }],
  ['messages', 'up-m', { service_tier: 'turbo' }],
  ['messages', 'up-m', { inference_geo: 'us' }],
  ['chat', 'up-c', { service_tier: 'toString' }],
  ['chat', 'up-c', { search_parameters: {} }],
  ['chat', 'unpriced', { service_tier: 'flex' }],
  ['chat', 'unpriced', { web_search_options: {} }],
  // It would become a tier of the other dialect.
  ['messages', 'unpriced', { speed: 'fast' }],
] as const)(
  'what has none is a 400 and reaches no upstream: %s, %s, %j',
  async (dialect, model, fields) => {
    const { ask } = await staged();
    const before = upstream.received.length;
    const client = ask(dialect, hello(model, fields));

    expect(await client.status).toBe(400);
    expect(await client.body).toContain('is not forwarded');
    expect(upstream.received).toHaveLength(before);
  },
);

it('names the price that would allow it', async () => {
  const { ask } = await staged();

  expect(await ask('chat', hello('unpriced', { service_tier: 'flex' })).body).toContain(
    'or a price in token_quota.service_tier.flex of the model',
  );
});

it.each([
  ['the tier that was asked for', 'chat', { service_tier: 'priority' }, undefined, 46, 'priority'],
  ['the tier that was served', 'chat', { service_tier: 'priority' }, 'default', 23, 'default'],
  ['a tier with a price, not a name', 'chat', { service_tier: 'flex' }, 'x', 11.5, 'flex'],
  ['one use of a search', 'chat', { web_search_options: {} }, undefined, 123, null],
  [
    'one use of a tool whose uses are never reported',
    'messages',
    { tools: [{ type: 'code_execution_20250825', name: 'c' }] },
    undefined,
    30,
    null,
  ],
  ['no search that was not made', 'messages', { tools: [webSearch] }, undefined, 23, null],
] as const)(
  'where the upstream does not say, it is charged as %s',
  async (_case, dialect, fields, tier, cost, recorded) => {
    const completion = dialect === 'chat' ? chatCompletion : messagesCompletion;
    const { record, ask } = await staged(json({ ...completion, service_tier: tier }));

    expect(await ask(dialect, hello(dialect === 'chat' ? 'up-c' : 'up-m', fields)).status).toBe(
      200,
    );
    expect(await record()).toMatchObject({
      cost_nano: String(cost * 1_000_000_000),
      service_tier: recorded,
    });
  },
);

it('who leaves before the end of a search pays for one', async () => {
  const { record, ask } = await staged(({ response }) => {
    response.writeHead(200, eventStream);
    response.write(messagesEvents.slice(0, 3).join(''));
  });
  const client = ask('messages', hello('up-m', { stream: true, tools: [webSearch] }));
  client.body.catch(() => undefined);
  await client.status;
  client.leave();

  expect(await record()).toMatchObject({ outcome: 'aborted', server_tool_uses: 1 });
});

it('a refusal of the upstream uses nothing', async () => {
  const { record, ask } = await staged(({ response }) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"no"}}');
  });

  expect(await ask('chat', hello('up-c', { web_search_options: {} })).status).toBe(400);
  expect(await record()).toMatchObject({ server_tool_uses: 0, cost_nano: '0' });
});

/** The prompt is about 35 tokens at 2, the completion 100 at 1. */
it.each([
  [{}, 200],
  [{ service_tier: 'flex' }, 200],
  [{ service_tier: 'priority' }, 402],
  [{ tools: [{ ...webSearch, max_uses: 1 }] }, 200],
  [{ tools: [{ ...webSearch, max_uses: 2 }] }, 402],
  [
    { system: [{ type: 'text', text: 'x'.repeat(400), cache_control: { type: 'ephemeral' } }] },
    402,
  ],
] as const)('a request reserves the dearest that it may cost: %j is %i', async (fields, status) => {
  const { ask } = await staged(behave, 320);

  expect(await ask('messages', hello('up-m', fields)).status).toBe(status);
});

it('a prompt that may be cached for an hour reserves the price of that', async () => {
  const { ask } = await staged(behave, 700);
  const promptWith = (ttl: string) => ({
    system: [{ type: 'text', text: 'x'.repeat(600), cache_control: { type: 'ephemeral', ttl } }],
  });

  expect([
    await ask('messages', hello('up-m', promptWith('1h'))).status,
    await ask('messages', hello('up-m', promptWith('5m'))).status,
  ]).toEqual([402, 200]);
});
