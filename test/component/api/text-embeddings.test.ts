import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '@gateway/contracts';
import { eventually } from '@gateway/testing';
import {
  asChat,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
  type UpstreamRequest,
} from './text-stage.ts';

const price = '{ input: 2, output: 5, per: 1 }';

const yamlOf = (url: string): string => `
providers:
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
  spare: { kind: chat, base_url: "${url}/spare/v1", api_key: "\${KEY}" }
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
models:
  embed: { kind: text, token_quota: ${price}, routes: [{ provider: c, model: text-embedding-9 }] }
  spared:
    kind: text
    routes:
      - { provider: m, model: claude }
      - { provider: c, model: text-embedding-9 }
      - { provider: spare, model: text-embedding-9, fallback: true }
  claude: { kind: text, routes: [{ provider: m, model: claude }] }
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
`;

const vectors = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
  model: 'text-embedding-9',
  usage: { prompt_tokens: 7, total_tokens: 7 },
};

const sends =
  (status: number, body: unknown, type = 'application/json') =>
  ({ response }: UpstreamRequest): void => {
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

let stage: TextStage;
let upstream: Upstream;
let respond: (request: UpstreamRequest) => void;
beforeAll(async () => {
  upstream = await openUpstream((request) => {
    respond(request);
  });
  stage = await openTextStage({ yaml: yamlOf(upstream.url) });
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});
beforeEach(() => {
  respond = sends(200, vectors);
  upstream.received.length = 0;
});

interface Embedded {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
}

async function embed(
  body: object,
  { apiKey, path = '/v1/embeddings' }: { apiKey: string; path?: string },
): Promise<Embedded> {
  const sent = post(`${stage.url}${path}`, { headers: asChat(apiKey), body });
  return {
    status: await sent.status,
    body: JSON.parse(await sent.body) as Record<string, unknown>,
    headers: await sent.headers,
  };
}

/** What was recorded for an account that has sent one request. */
const usageOf = (accountId: string): Promise<UsageRecord[]> =>
  eventually(async () => {
    const records = (await stage.usage(1)).filter(({ account_id: id }) => id === accountId);
    expect(records).toHaveLength(1);
    return records;
  });

const aKey = (): ReturnType<TextStage['aKey']> => stage.aKey({ quota: 1_000_000 });

describe('POST /v1/embeddings', () => {
  it('passes the request on under the upstream’s name, and its vectors back under ours', async () => {
    const { apiKey } = await aKey();

    const { status, body, headers } = await embed(
      { model: 'embed', input: ['a red balloon'], dimensions: 2, encoding_format: 'float' },
      { apiKey },
    );

    expect([status, body]).toEqual([200, { ...vectors, model: 'embed' }]);
    expect(headers).toMatchObject({ 'x-gateway-route': 'c/text-embedding-9' });
    expect(upstream.received.map(({ path, json }) => [path, json])).toEqual([
      [
        '/v1/embeddings',
        {
          model: 'text-embedding-9',
          input: ['a red balloon'],
          dimensions: 2,
          encoding_format: 'float',
        },
      ],
    ]);
  });

  it.each(['/embeddings', '/v1/v1/embeddings/', '//v1/embeddings'])(
    'is served at %s, too',
    async (path) => {
      const { apiKey } = await aKey();
      await expect(embed({ model: 'embed', input: 'a' }, { apiKey, path })).resolves.toMatchObject({
        status: 200,
      });
    },
  );

  it('meters the tokens of the input, and no output', async () => {
    const { apiKey, accountId } = await aKey();
    await embed({ model: 'embed', input: 'a red balloon' }, { apiKey });

    const records = await usageOf(accountId);

    expect(records).toMatchObject([
      { model: 'embed', input_tokens: 7, output_tokens: 0, estimated: false },
    ]);
    expect(records[0]?.cost_nano).toBe(String(7 * 2 * 1_000_000_000));
  });

  it('estimates the input where the upstream reports no tokens, whatever the vectors weigh', async () => {
    const { apiKey, accountId } = await aKey();
    const { usage: _none, ...unmetered } = vectors;
    respond = sends(200, {
      ...unmetered,
      data: [{ index: 0, embedding: Array.from({ length: 3_000 }, () => 0.123_456_789) }],
    });
    await embed({ model: 'embed', input: 'four words of text' }, { apiKey });

    const records = await usageOf(accountId);

    expect(records).toMatchObject([{ output_tokens: 0, estimated: true }]);
    expect(records[0]?.input_tokens).toBeGreaterThanOrEqual(4);
    expect(records[0]?.input_tokens).toBeLessThan(40);
  });

  it('reads the usage of megabytes of vectors', async () => {
    const { apiKey, accountId } = await aKey();
    const embedding = Array.from({ length: 3_072 }, (_unused, index) => index / 3_072);
    respond = sends(200, {
      ...vectors,
      data: Array.from({ length: 60 }, (_unused, index) => ({ index, embedding })),
    });

    const { body } = await embed({ model: 'embed', input: ['many'] }, { apiKey });

    expect((body['data'] as unknown[]).length).toBe(60);
    const records = await usageOf(accountId);
    expect(records).toMatchObject([{ input_tokens: 7, estimated: false }]);
  });

  it('tries the routes in turn, leaving out upstreams that speak messages', async () => {
    const { apiKey } = await aKey();
    respond = (request) => {
      sends(request.path.startsWith('/spare') ? 200 : 503, vectors)(request);
    };

    const { status } = await embed({ model: 'spared', input: 'a' }, { apiKey });

    expect(status).toBe(200);
    expect(new Set(upstream.received.map(({ path }) => path))).toEqual(
      new Set(['/v1/embeddings', '/spare/v1/embeddings']),
    );
  });

  it.each([
    ['a page', '<html>hello</html>', 'text/html'],
    ['a completion', { object: 'chat.completion', choices: [] }, 'application/json'],
    ['an error', { error: { message: 'no' } }, 'application/json'],
    ['half a response', '{"object":"list","data":[', 'application/json'],
  ])('takes %s under a 200 for a failure', async (_what, body, type) => {
    const { apiKey } = await aKey();
    respond = sends(200, body, type);

    await expect(embed({ model: 'embed', input: 'a' }, { apiKey })).resolves.toMatchObject({
      status: 502,
    });
  });

  it('passes the upstream’s refusal on', async () => {
    const { apiKey } = await aKey();
    const refusal = {
      error: { message: 'too long', type: 'invalid_request_error', param: 'input' },
    };
    respond = sends(400, refusal);

    await expect(embed({ model: 'embed', input: 'a' }, { apiKey })).resolves.toMatchObject({
      status: 400,
      body: refusal,
    });
  });

  it.each([
    [{ model: 'embed' }, 'input', 'required'],
    [{ input: 'a' }, 'model', 'required'],
    [{ model: 'embed', input: 7 }, 'input', 'a string, an array of strings'],
    [{ model: 'embed', input: [] }, 'input', 'a string, an array of strings'],
    [{ model: 'embed', input: [{}] }, 'input[0]', 'a string, a token'],
    [{ model: 'embed', input: [['a']] }, 'input[0][0]', 'a token'],
    [{ model: 'embed', input: 'a', dimensions: 0 }, 'dimensions', 'at least 1'],
    [{ model: 'claude', input: 'a' }, 'model', 'no upstream of the model claude makes embeddings'],
  ])('refuses %j and names %s', async (body, param, words) => {
    const { apiKey } = await aKey();

    const refused = await embed(body, { apiKey });

    expect(refused).toMatchObject({
      status: 400,
      body: { error: { param, message: expect.stringContaining(words) as unknown } },
    });
    expect(upstream.received).toEqual([]);
  });

  it('refuses an account without quota before it asks the upstream', async () => {
    const { apiKey } = await stage.aKey({ quota: 0 });

    await expect(embed({ model: 'embed', input: 'a' }, { apiKey })).resolves.toMatchObject({
      status: 402,
    });
    expect(upstream.received).toEqual([]);
  });
});
