import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { readResponse, type Json } from '../../unit/text-dialects/responses-grammar.ts';
import {
  responseItems,
  responseOf,
  responsesEvents,
} from '../../unit/text-dialects/responses-samples.ts';
import { keptBy } from './kept-responses.ts';
import {
  behave,
  errorIn,
  openResponsesStage,
  recordOf,
  responseTo,
  type ResponsesStage,
} from './responses-stage.ts';
import { asChat, post, type TextStage, type Upstream } from './text-stage.ts';

let opened: ResponsesStage;
let stage: TextStage;
let upstream: Upstream;
beforeAll(async () => {
  opened = await openResponsesStage();
  ({ stage, upstream } = opened);
});
afterAll(() => opened.close());
beforeEach(() => {
  opened.respondWith(behave);
  upstream.received.length = 0;
});

const send = (apiKey: string, fields: object) => opened.send(apiKey, fields);

describe('a request of the responses format, to an upstream of its own', () => {
  it('passes through as its very bytes, and so does what comes back', async () => {
    const { apiKey } = await stage.aKey();
    const body = '{ "model" : "up-p",\n "input":"hé \\u00e9", "store":false, "nobody_knows":1.50 }';

    const sent = post(`${stage.url}/v1/responses`, { headers: asChat(apiKey), body });

    expect(await sent.body).toBe(JSON.stringify(responseOf({ store: false }), undefined, 1));
    expect(upstream.received[0]!.body.toString()).toBe(body);
    expect(upstream.received[0]!.path).toBe('/plain/v1/responses');
    expect(upstream.received[0]!.headers['authorization']).toBe('Bearer vendor-secret');
    expect(await sent.headers).toMatchObject({
      'x-gateway-route': 'plain/up-p',
      'x-upstream-request-id': 'req_upstream',
    });
  });

  it('streams the very bytes of the upstream', async () => {
    const { apiKey } = await stage.aKey();
    const fields = { model: 'up-p', store: false, stream: true };

    expect(await send(apiKey, fields).body).toBe(responsesEvents({ store: false }).join(''));
  });

  it('is kept by the gateway and not by the vendor, and says what its client asked for', async () => {
    const { apiKey } = await stage.aKey();

    const told = await responseTo(send(apiKey, {}));

    expect(upstream.received[0]!.json).toEqual({
      model: 'up-r',
      input: 'Say hello.',
      max_output_tokens: 50,
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    expect(told).toEqual({
      ...responseOf({ store: true, model: 'mine' }),
      output: responseItems(false),
    });
  });

  it('is kept with its thoughts when it was streamed, and can be read, listed and deleted', async () => {
    const { apiKey } = await stage.aKey();
    const get = async (path: string, method = 'GET') => {
      const url = `${stage.url}/v1/responses/${path}`;
      const response = await fetch(url, { method, headers: asChat(apiKey) });
      return { status: response.status, body: (await response.json()) as Json };
    };

    const { response, items } = readResponse(await send(apiKey, { stream: true }).body);

    expect(response).toMatchObject({ model: 'mine', store: true, output: responseItems(false) });
    expect(items).toEqual(responseItems(false));
    const id = String(response!['id']);
    expect(await get(id)).toEqual({ status: 200, body: response });
    expect(await get(`${id}?include=reasoning.encrypted_content`)).toEqual({
      status: 200,
      body: { ...response, output: responseItems(true) },
    });
    expect((await get(`${id}/input_items`)).body['data']).toEqual([
      expect.objectContaining({
        role: 'user',
        content: [{ type: 'input_text', text: 'Say hello.' }],
      }),
    ]);
    expect((await get(id, 'DELETE')).body).toEqual({ id, object: 'response', deleted: true });
    expect((await get(id)).status).toBe(404);
  });

  it('shows thoughts that go on to a client that asks for them', async () => {
    const { apiKey } = await stage.aKey();
    const include = ['reasoning.encrypted_content'];

    const told = await responseTo(send(apiKey, { include, store: false }));

    expect(told['output']).toEqual(responseItems(true));
    expect(upstream.received[0]!.json).toMatchObject({ include, store: false });
  });

  it.each([
    ['previous_response_id', (id: string) => ({ previous_response_id: id, input: 'And now?' })],
    [
      'item_reference',
      () => ({
        input: [
          ...responseItems(true).map(({ id }) => ({ type: 'item_reference', id })),
          { role: 'user', content: 'And now?' },
        ],
      }),
    ],
  ])('builds on what the gateway keeps, which the vendor gets whole: %s', async (_name, build) => {
    const { apiKey } = await stage.aKey();
    const { id } = await responseTo(send(apiKey, { stream: false }));
    const fields = build(String(id));

    const next = await responseTo(send(apiKey, fields));

    const { json } = upstream.received[1]!;
    expect(json['previous_response_id'] ?? null).toBeNull();
    const input = json['input'] as Json[];
    expect(input.slice(-3)).toEqual([
      ...responseItems(true),
      expect.objectContaining({ role: 'user' }),
    ]);
    expect(input.filter(({ role }) => role === 'user').map(({ id: given }) => given)).toEqual(
      input.filter(({ role }) => role === 'user').map(() => undefined),
    );
    expect(next['previous_response_id']).toBe(
      'previous_response_id' in fields ? fields.previous_response_id : null,
    );
  });

  it('is nobody else’s to build on, though the vendor’s account is one', async () => {
    const [one, other] = [await stage.aKey(), await stage.aKey()];
    const { id } = await responseTo(send(one.apiKey, {}));

    const refused = send(other.apiKey, { previous_response_id: id });

    expect((await errorIn(refused))['code']).toBe('previous_response_not_found');
    const stolen = { input: [{ type: 'item_reference', id: responseItems(true)[0]!['id'] }] };
    expect((await errorIn(send(other.apiKey, stolen)))['code']).toBe('item_not_found');
    expect(upstream.received).toHaveLength(1);
  });

  it('is kept by a vendor that is allowed to, and by the gateway', async () => {
    const { apiKey, accountId } = await stage.aKey();

    await send(apiKey, { model: 'storing', store: true }).body;

    expect(upstream.received[0]!.json).toEqual({
      model: 'up-s',
      input: 'Say hello.',
      max_output_tokens: 50,
      store: true,
    });
    await eventually(async () => {
      expect(await keptBy(stage, accountId)).toHaveLength(1);
    });
  });

  it.each([
    ['mine', []],
    ['up-p', [{ id: 'rs_1', type: 'reasoning', summary: [] }]],
  ])('goes on without thoughts that its upstream would look for: %s', async (model, kept) => {
    const { apiKey } = await stage.aKey();
    const thought = { id: 'rs_1', type: 'reasoning', summary: [] };
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...responseOf(json), output: [thought] }));
    });
    const { id } = await responseTo(send(apiKey, { model }));

    await send(apiKey, { model, previous_response_id: id }).body;

    const input = upstream.received[1]!.json['input'] as Json[];
    expect(input.filter(({ type }) => type === 'reasoning')).toEqual(kept);
    expect(input).toHaveLength(2 + kept.length);
  });

  it('leaves out the thoughts of another upstream', async () => {
    const { apiKey } = await stage.aKey();
    const packed = (value: object) =>
      `gw1r.${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
    const thought = (encrypted_content: string) => ({
      type: 'reasoning',
      summary: [],
      encrypted_content,
    });

    await send(apiKey, {
      store: false,
      input: [
        thought(packed({ text: 'a', signature: 'of-another' })),
        thought(packed({ text: 'b', signature: 'gw1e.of-this' })),
        thought('its own'),
        { role: 'user', content: 'hi' },
      ],
    }).body;

    expect(upstream.received[0]!.json['input']).toEqual([
      thought('of-this'),
      thought('its own'),
      { role: 'user', content: 'hi' },
    ]);
  });

  it.each([
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['service_tier', { service_tier: 'priority' }],
    ['tools[0].type', { tools: [{ type: 'mcp', server_label: 'x' }] }],
  ])('is refused for what is not for all customers: %s', async (param, fields) => {
    const { apiKey } = await stage.aKey();

    const refused = send(apiKey, fields);

    expect(await refused.status).toBe(400);
    expect(await errorIn(refused)).toMatchObject({ code: 'unsupported_parameter', param });
    expect(upstream.received).toHaveLength(0);
  });

  it.each([false, true])('is charged as its upstream reported, streamed: %s', async (stream) => {
    const { apiKey, accountId } = await stage.aKey();

    await send(apiKey, { stream }).body;

    expect(await recordOf(stage, accountId)).toMatchObject({
      dialect: 'responses',
      upstream_dialect: 'responses',
      upstream_model: 'up-r',
      outcome: 'succeeded',
      input_tokens: 11,
      cached_input_tokens: 5,
      output_tokens: 7,
      reasoning_tokens: 3,
      estimated: false,
      cost_nano: String((11 * 2 + 5 + 7 * 5) * 1_000_000_000),
    });
  });

  it.each([
    [
      2,
      [
        { type: 'web_search_call', id: 'ws_1' },
        { type: 'web_search_call', id: 'ws_2' },
      ],
    ],
    [0, []],
  ])('is charged for tools of the vendor as often as they ran: %d', async (uses, calls) => {
    const { apiKey, accountId } = await stage.aKey();
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...responseOf(json), output: calls }));
    });

    await send(apiKey, { tools: [{ type: 'web_search_preview_2025_03_11' }] }).body;

    expect(await recordOf(stage, accountId)).toMatchObject({
      server_tool_uses: uses,
      cost_nano: String((11 * 2 + 5 + 7 * 5 + uses * 10) * 1_000_000_000),
    });
  });
});
