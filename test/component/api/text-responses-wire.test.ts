import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { readResponse, type Json } from '../../unit/text-dialects/responses-grammar.ts';
import { keepMessage, keptBy } from './kept-responses.ts';
import {
  asChat,
  behave,
  chatEvents,
  eventStream,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
  type UpstreamRequest,
} from './text-stage.ts';

let stage: TextStage;
let upstream: Upstream;
let respond: (request: UpstreamRequest) => void;
beforeAll(async () => {
  upstream = await openUpstream((request) => {
    respond(request);
  });
  stage = await openTextStage({
    settings: { TEXT_PING_MS: 150, BODY_BYTES_PER_ACCOUNT: 400_000 },
    yaml: `
providers:
  c: { kind: chat, base_url: "${upstream.url}/v1", api_key: "\${KEY}" }
  near: { kind: chat, base_url: "${upstream.url}/near/v1", api_key: "\${KEY}", fetches_media: private }
  m: { kind: messages, base_url: "${upstream.url}", api_key: "\${KEY}" }
models:
  chat: { kind: text, token_quota: { input: 2, output: 5, per: 1 }, routes: [{ provider: c, model: up-c }] }
  near: { kind: text, routes: [{ provider: near, model: up-c }] }
  both: { kind: text, routes: [{ provider: c, model: up-c }, { provider: m, model: up-m, fallback: true }] }
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
`,
  });
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});
beforeEach(() => {
  respond = behave;
  upstream.received.length = 0;
});

const ask = (apiKey: string, fields: object) =>
  post(`${stage.url}/v1/responses`, {
    headers: asChat(apiKey),
    body: { model: 'chat', input: 'Say hello.', max_output_tokens: 50, ...fields },
  });
const errorIn = async (sent: ReturnType<typeof ask>): Promise<Json> =>
  (JSON.parse(await sent.body) as { error: Json }).error;

/** That nothing was kept before: what comes later is written later. */
async function expectOnlyKept({ apiKey, accountId }: { apiKey: string; accountId: string }) {
  respond = behave;
  const last = JSON.parse(await ask(apiKey, {}).body) as Json;
  await eventually(async () => {
    expect(await keptBy(stage, accountId)).toEqual([last]);
  });
}

describe('a stream of the responses format', () => {
  it('is kept when it ends, and its end is the response', async () => {
    const { apiKey, accountId } = await stage.aKey();

    const { response } = readResponse(await ask(apiKey, { stream: true }).body);

    expect(response).toMatchObject({
      usage: {
        input_tokens: 16,
        input_tokens_details: { cached_tokens: 5 },
        output_tokens: 7,
        total_tokens: 23,
      },
    });
    await eventually(async () => {
      expect(await keptBy(stage, accountId)).toEqual([response]);
    });
  });

  it('is given up with its client, and neither kept nor free', async () => {
    const { apiKey, accountId } = await stage.aKey();
    respond = ({ response }) => {
      response.writeHead(200, eventStream);
      response.write(chatEvents.slice(0, 3).join(''));
    };
    const client = ask(apiKey, { stream: true });
    await eventually(() => {
      expect(client.text()).toContain('response.output_text.delta');
    });

    client.leave();

    await eventually(() => {
      expect(upstream.received[0]!.aborted()).toBe(true);
    });
    await eventually(async () => {
      const records = await stage.usage(1);
      expect(records.find(({ account_id: id }) => id === accountId)).toMatchObject({
        dialect: 'responses',
        outcome: 'aborted',
        estimated: true,
      });
    });
    await expectOnlyKept({ apiKey, accountId });
  });

  it('is kept alive while its upstream is silent, and fails by its grammar', async () => {
    const { apiKey, accountId } = await stage.aKey();
    respond = () => undefined;
    const silent = ask(apiKey, { stream: true });
    await eventually(() => {
      expect(silent.text()).toContain(': ping\n\n');
    });
    const { response } = upstream.received[0]!;

    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"no","type":"invalid_request_error"}}');

    expect(readResponse(await silent.body)).toMatchObject({
      types: ['error'],
      error: { code: 'invalid_request_error', message: 'no' },
    });
    await expectOnlyKept({ apiKey, accountId });
  });

  it('comes from the next route when the first has failed', async () => {
    const { apiKey } = await stage.aKey();
    respond = (request) => {
      if (request.path.includes('messages')) behave(request);
      else request.response.writeHead(404).end();
    };

    const sent = ask(apiKey, { model: 'both', stream: true });

    const { items } = readResponse(await sent.body);
    expect((await sent.headers)['x-gateway-attempts']).toBe('2');
    expect(items).toMatchObject([{ content: [{ text: 'Hello there.' }] }]);
  });

  it('is made of a whole completion where the upstream sends one', async () => {
    const { apiKey } = await stage.aKey();
    respond = (request) => {
      behave({ ...request, json: {} });
    };

    const { items } = readResponse(await ask(apiKey, { stream: true }).body);

    expect(items).toMatchObject([{ content: [{ text: 'Hello there.' }] }]);
  });
});

describe('a request of the responses format', () => {
  it('names no address that leads inside, not even one that it refers to', async () => {
    const { apiKey, accountId } = await stage.aKey();
    const content = [{ type: 'input_image', image_url: 'http://10.0.0.1/secret.png' }];
    await keepMessage(stage, { accountId, responseId: 'resp_inside', content });
    const given = ask(apiKey, { model: 'near', input: [{ role: 'user', content }] });
    const referred = ask(apiKey, { model: 'near', previous_response_id: 'resp_inside' });

    for (const sent of [given, referred]) {
      expect([await sent.status, await errorIn(sent)]).toEqual([
        400,
        expect.objectContaining({ param: 'input[0].content[0].image_url' }),
      ]);
    }
    expect(upstream.received).toEqual([]);
  });

  it('holds what it refers to against the bytes of its account', async () => {
    const { apiKey, accountId } = await stage.aKey({ quota: 10_000_000 });
    const content = 'x'.repeat(300_000);
    await keepMessage(stage, { accountId, responseId: 'resp_large', content });
    const held: UpstreamRequest[] = [];
    respond = (request) => {
      held.push(request);
    };
    const first = ask(apiKey, { previous_response_id: 'resp_large' });
    await eventually(() => {
      expect(held).toHaveLength(1);
    });

    const second = ask(apiKey, { previous_response_id: 'resp_large' });

    expect([await second.status, (await errorIn(second))['code']]).toEqual([
      429,
      'rate_limit_exceeded',
    ]);
    behave(held[0]!);
    expect(await first.status).toBe(200);
    respond = behave;
    expect(await ask(apiKey, { previous_response_id: 'resp_large' }).status).toBe(200);
  });
});
