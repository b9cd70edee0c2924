import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
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
  open-m:
    kind: messages
    base_url: "${url}"
    api_key: "\${KEY}"
    forward:
      headers: [X-Goog-User-Project, anthropic-workspace-id]
      query: [project]
      fields: [service_tier, container]
      tools: [web_search_*]
      betas: [context-1m-*]
  open-c:
    kind: chat
    base_url: "${url}/v1"
    api_key: "\${KEY}"
    forward: { headers: [openai-organization], fields: [service_tier, store] }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, routes: [{ provider: c, model: up-c }] }
  open-m: { kind: text, routes: [{ provider: open-m, model: open-m }] }
  open-c: { kind: text, routes: [{ provider: open-c, model: open-c }] }
  mixed:
    kind: text
    routes: [{ provider: m, model: mixed }, { provider: open-m, model: mixed, fallback: true }]
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
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

interface Asked {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly fields?: object;
}

const pathOf = (model: string): string =>
  model.endsWith('-c') ? '/v1/chat/completions' : '/v1/messages';
const ask = (
  model: string,
  { headers = {}, query = '', fields = {} }: Asked,
  path = pathOf(model),
) =>
  post(`${stage.url}${path}${query}`, {
    headers: { ...asMessages(apiKey), ...headers },
    body: hello(model, fields),
  });

const webSearch = { type: 'web_search_20250305', name: 'web_search' };

describe('what picks another tenant or costs extra', () => {
  it.each<[string, string, Asked]>([
    ['up-c', 'openai-organization', { headers: { 'OpenAI-Organization': 'org-other' } }],
    ['up-c', 'openai-project', { headers: { 'openai-project': 'proj' } }],
    ['up-c', 'x-goog-user-project', { headers: { 'x-goog-user-project': 'p' } }],
    ['up-m', 'anthropic-workspace-id', { headers: { 'anthropic-workspace-id': 'w' } }],
    ['up-m', 'anthropic-beta', { headers: { 'anthropic-beta': 'one, context-1m-2025-08-07' } }],
    ['up-m', 'x-amzn-bedrock-service-tier', { headers: { 'x-amzn-bedrock-service-tier': 'flex' } }],
    ['up-c', 'project', { query: '?project=p' }],
    ['up-c', '$userProject', { query: '?beta=true&%24userProject=p' }],
    ['up-c', 'service_tier', { fields: { service_tier: 'priority' } }],
    ['up-c', 'store', { fields: { store: true } }],
    ['up-c', 'web_search_options', { fields: { web_search_options: {} } }],
    ['up-c', 'models', { fields: { models: ['another'] } }],
    ['up-c', 'tools[1].type', { fields: { tools: [{ type: 'function' }, { type: 'mcp' }] } }],
    ['up-m', 'thread', { fields: { thread: { type: 'create' } } }],
    ['up-m', 'service_tier', { fields: { service_tier: 'flex' } }],
    ['up-m', 'speed', { fields: { speed: 'fast' } }],
    ['up-m', 'inference_geo', { fields: { inference_geo: 'us' } }],
    ['up-m', 'container', { fields: { container: 'container_1' } }],
    ['up-m', 'mcp_servers', { fields: { mcp_servers: [{ type: 'url', url: 'https://a.test' }] } }],
    ['up-m', 'fallbacks', { fields: { fallbacks: [{ model: 'other' }] } }],
    ['up-m', 'tools[0].type', { fields: { tools: [webSearch] } }],
    ['up-m', 'tools[0].type', { fields: { tools: [{ type: 'code_execution_20250825' }] } }],
  ])('on %s is a 400 that names %s, and reaches no upstream', async (model, param, asked) => {
    const before = upstream.received.length;
    const client = ask(model, asked);

    expect(await client.status).toBe(400);
    const body = await client.body;
    expect(body).toContain(param.replace(/\[.*/, ''));
    expect(body).toMatch(/is not forwarded: it .*; .*; the operator can allow it \(forward\./);
    if (model === 'up-c') {
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'unsupported_parameter', param } });
    }
    expect(upstream.received).toHaveLength(before);
  });

  it.each<[string, Asked]>([
    ['open-m', { headers: { 'x-goog-user-project': 'p', 'anthropic-workspace-id': 'w' } }],
    ['open-m', { headers: { 'anthropic-beta': 'context-1m-2025-08-07' } }],
    ['open-m', { query: '?project=p' }],
    ['open-m', { fields: { service_tier: 'flex', container: 'c', tools: [webSearch] } }],
    ['open-c', { headers: { 'openai-organization': 'org' } }],
    ['open-c', { fields: { service_tier: 'priority', store: true } }],
  ])('goes to the upstream where the provider %s allows it', async (model, asked) => {
    expect(await ask(model, asked).status).toBe(200);

    const { headers, path, json } = upstream.received.at(-1)!;
    expect(headers).toMatchObject(asked.headers ?? {});
    expect(path).toBe(`${pathOf(model)}${asked.query ?? ''}`);
    expect(json).toMatchObject(asked.fields ?? {});
  });

  it('goes to the route that allows it, and to no other', async () => {
    const client = ask('mixed', { fields: { service_tier: 'flex' } });

    expect(await client.status).toBe(200);
    expect(await client.headers).toMatchObject({
      'x-gateway-route': 'open-m/mixed',
      'x-gateway-attempts': '1',
    });
  });

  it('is not carried to an upstream of the other dialect, nor in the way there', async () => {
    const client = ask(
      'up-c',
      { headers: { 'openai-organization': 'org' }, fields: { service_tier: 'standard_only' } },
      '/v1/messages',
    );

    expect(await client.status).toBe(200);
    expect(upstream.received.at(-1)!.headers['openai-organization']).toBeUndefined();
  });

  it('may stand once only in a body', async () => {
    const body = `{"model":"up-c","service_tier":"priority","messages":[{"role":"user","content":"x"}],"service_tier":"auto"}`;
    const client = post(`${stage.url}/v1/chat/completions`, {
      headers: asMessages(apiKey),
      body,
    });

    expect(await client.status).toBe(400);
    expect(await client.body).toContain('service_tier');
  });

  it('is refused for counting too where it picks a tenant, and not where counting is free', async () => {
    const count = (asked: Asked) => ask('up-m', asked, '/v1/messages/count_tokens').status;

    expect(await count({ headers: { 'anthropic-workspace-id': 'w' } })).toBe(400);
    expect(await count({ fields: { tools: [webSearch] } })).toBe(200);
  });
});

describe('what clients send by themselves', () => {
  it.each<[string, Asked]>([
    ['up-c', { fields: { service_tier: 'auto', store: false, stream_options: null } }],
    [
      'up-c',
      { fields: { service_tier: 'default', user: 'u', metadata: { a: 'b' }, models: null } },
    ],
    ['up-c', { fields: { tools: [{ type: 'function', function: { name: 'f' } }] } }],
    ['up-c', { fields: { tools: [{ type: 'custom', custom: { name: 'f' } }, { name: 'flat' }] } }],
    ['up-c', { headers: { 'x-stainless-lang': 'js', 'openai-beta': 'x' } }],
    ['up-m', { fields: { service_tier: 'standard_only', speed: 'standard', mcp_servers: [] } }],
    ['up-m', { fields: { metadata: { user_id: 'u' }, container: null, thread: null } }],
    ['up-m', { fields: { tools: [{ name: 'f', input_schema: { type: 'object' } }] } }],
    [
      'up-m',
      {
        fields: {
          tools: [
            { type: 'custom', name: 'f' },
            { type: 'bash_20250124', name: 'bash' },
            { type: 'text_editor_20250728', name: 'e' },
            { type: 'memory_20250818', name: 'm' },
            { type: 'computer_20250124', name: 'c' },
            { type: 'tool_search_tool_regex_20251119', name: 't' },
          ],
        },
      },
    ],
    [
      'up-m',
      {
        headers: {
          'anthropic-beta':
            'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,fast-mode-2026-02-01,structured-outputs-2025-11-13,mcp-client-2025-11-20',
          'anthropic-dangerous-direct-browser-access': 'true',
        },
        query: '?beta=true',
      },
    ],
  ])('goes to %s: %j', async (model, asked) => {
    expect(await ask(model, asked).status).toBe(200);

    const { headers, path, json } = upstream.received.at(-1)!;
    expect(headers).toMatchObject(asked.headers ?? {});
    expect(path).toBe(`${pathOf(model)}${asked.query ?? ''}`);
    expect(json).toMatchObject(asked.fields ?? {});
  });

  it('stays here where it is a credential, or a parameter of the query that nobody listed', async () => {
    const client = ask('up-c', {
      headers: { 'x-goog-api-key': 'mine', 'idempotency-key': 'guessed' },
      query: '?key=mine&api-version=2025-01-01&utm=1',
    });

    expect(await client.status).toBe(200);
    const { headers, path } = upstream.received.at(-1)!;
    expect(path).toBe('/v1/chat/completions?api-version=2025-01-01');
    expect([headers['x-goog-api-key'], headers['idempotency-key']]).toEqual([undefined, undefined]);
    expect((await client.headers)['x-gateway-dropped-params']).toBe('key, utm');
  });
});
