import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { readResponse, type Json } from '../unit/text-dialects/responses-grammar.ts';
import {
  responseItems,
  responseOf,
  responsesEvents,
} from '../unit/text-dialects/responses-samples.ts';
import { chatStreamViolations } from '../unit/text-dialects/chat-grammar.ts';
import { readMessage } from '../unit/text-dialects/messages-grammar.ts';
import { keptBy } from '../component/api/kept-responses.ts';
import {
  behave,
  errorIn,
  openResponsesStage,
  recordOf,
  responseTo,
  type ResponsesStage,
} from '../component/api/responses-stage.ts';
import {
  asChat,
  asMessages,
  eventStream,
  hello,
  post,
  type TextStage,
  type Upstream,
  type UpstreamRequest,
} from '../component/api/text-stage.ts';

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
const dataIn = (text: string): Json[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as Json);

describe('when something goes wrong at it', () => {
  it('a stream that is cut never looks like a clean end, and is not kept', async () => {
    const { apiKey, accountId } = await stage.aKey();
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, eventStream);
      response.end(responsesEvents(json).slice(0, -2).join(''));
    });

    const text = await send(apiKey, { stream: true }).body;

    const told = text.split('\n\n').filter((event) => event.includes('"sequence_number"'));
    const [failed, error] = dataIn(text).reverse();
    expect(error).toMatchObject({ type: 'error', code: 'upstream_truncated' });
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        model: 'mine',
        store: true,
        error: { code: 'upstream_truncated' },
      },
    });
    expect(Number(failed!['sequence_number'])).toBe(Number(error!['sequence_number']) + 1);
    expect(told.length).toBeGreaterThan(4);
    expect(await recordOf(stage, accountId)).toMatchObject({ outcome: 'failed', estimated: true });
    opened.respondWith(behave);
    const { id } = await responseTo(send(apiKey, {}));
    await eventually(async () => {
      expect((await keptBy(stage, accountId)) as Json[]).toMatchObject([{ id }]);
    });
  });

  it('a failure that it tells itself goes through, and is no success', async () => {
    const { apiKey, accountId } = await stage.aKey();
    const failure = (json: Json) =>
      `event: response.failed\ndata: ${JSON.stringify({
        type: 'response.failed',
        sequence_number: 2,
        response: {
          ...responseOf(json),
          status: 'failed',
          output: [],
          error: { code: 'server_error', message: 'sorry' },
        },
      })}\n\n`;
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, eventStream);
      response.end(responsesEvents(json).slice(0, 2).join('') + failure(json));
    });

    const types = dataIn(await send(apiKey, { stream: true }).body).map(({ type }) => type);

    expect(types).toEqual(['response.created', 'response.in_progress', 'response.failed']);
    expect(await recordOf(stage, accountId)).toMatchObject({ outcome: 'failed' });
  });

  it.each([
    [
      'a first event that is an error',
      'event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"sorry","param":null}\n\n',
    ],
    [
      'a first event that is a failed response',
      'data: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"sorry"}}}\n\n',
    ],
  ])('another route is tried after %s', async (_name, first) => {
    const { apiKey } = await stage.aKey();
    opened.respondWith((request) => {
      if (!request.path.endsWith('/responses')) {
        behave(request);
        return;
      }
      request.response.writeHead(200, eventStream);
      request.response.end(first);
    });

    const sent = send(apiKey, { model: 'both', stream: true });

    expect(await sent.body).toContain('response.completed');
    expect(readResponse(await sent.body).response).toMatchObject({ status: 'completed' });
    expect((await sent.headers)['x-gateway-route']).toBe('c/up-c');
  });

  it('its refusal reaches the client as it is, but for one of the operator’s key', async () => {
    const { apiKey } = await stage.aKey();
    const refusal =
      '{ "error": {"message":"no","type":"invalid_request_error","param":"input","code":"odd"} }';
    opened.respondWith(({ response, json }) => {
      response.writeHead(json['input'] === 'key' ? 401 : 400, {
        'content-type': 'application/json',
      });
      response.end(refusal);
    });

    const refused = send(apiKey, {});
    expect([await refused.status, await refused.body]).toEqual([400, refusal]);
    const hidden = send(apiKey, { input: 'key' });
    expect([await hidden.status, await hidden.body]).toEqual([
      502,
      expect.not.stringContaining('odd'),
    ]);
  });

  it('a response that failed, under a 200, is a failure', async () => {
    const { apiKey } = await stage.aKey();
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const error = { code: 'server_error', message: 'sorry' };
      response.end(JSON.stringify({ ...responseOf(json), status: 'failed', output: [], error }));
    });

    const refused = send(apiKey, {});

    expect(await refused.status).toBe(502);
    expect((await errorIn(refused))['message']).toBe('sorry');
  });

  it('pings stand between its events only, and it is given up with its client', async () => {
    const quick = await openResponsesStage(150);
    const { apiKey, accountId } = await quick.stage.aKey();
    const [first = '', second = '', ...rest] = responsesEvents({});
    quick.respondWith(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(first + second.slice(0, 40));
    });
    const client = quick.send(apiKey, { model: 'up-p', store: false, stream: true });
    await eventually(() => {
      expect(client.text()).toBe(first + second.slice(0, 40));
    });
    const { response, aborted } = quick.upstream.received[0]!;
    response.write(second.slice(40) + rest[0]!);
    await eventually(() => {
      expect(client.text()).toBe(`${first}${second}${rest[0]!}: ping\n\n`);
    });

    client.leave();

    await eventually(() => {
      expect(aborted()).toBe(true);
    });
    expect(await recordOf(quick.stage, accountId)).toMatchObject({
      outcome: 'aborted',
      estimated: true,
    });
    await quick.close();
  });

  it('holds to the limit of its provider', async () => {
    const { apiKey } = await stage.aKey();
    const waiting: UpstreamRequest[] = [];
    opened.respondWith((request) => {
      waiting.push(request);
    });
    const both = [send(apiKey, { model: 'one' }), send(apiKey, { model: 'one' })];
    await eventually(() => {
      expect(waiting).toHaveLength(1);
    });
    behave(waiting[0]!);
    await eventually(() => {
      expect(waiting).toHaveLength(2);
    });
    behave(waiting[1]!);
    expect(await Promise.all(both.map(({ status }) => status))).toEqual([200, 200]);
  });

  it('a whole response for a stream, and a stream for a whole response, are told as they were asked', async () => {
    const { apiKey } = await stage.aKey();
    opened.respondWith((request) => {
      behave({ ...request, json: { ...request.json, stream: request.json['stream'] !== true } });
    });

    const streamed = readResponse(await send(apiKey, { stream: true }).body);
    const whole = await responseTo(send(apiKey, {}));

    expect(streamed.response).toEqual({
      ...responseOf({ model: 'mine', store: true }),
      output: responseItems(false),
    });
    expect(whole).toEqual(streamed.response);
  });
});

describe('clients of the other dialects', () => {
  const weather = {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  };

  it('chat completions get what it thought and said, whole and streamed', async () => {
    const { apiKey, accountId } = await stage.aKey();
    const ask = (extra: object) =>
      post(`${stage.url}/v1/chat/completions`, {
        headers: asChat(apiKey),
        body: hello('mine', extra),
      });

    const whole = JSON.parse(await ask({}).body) as { choices: { message: Json }[]; usage: Json };
    const usage = { stream_options: { include_usage: true } };
    const streamed = await ask({ stream: true, ...usage }).body;

    expect(whole.choices[0]!.message).toMatchObject({
      content: 'Hello there.',
      reasoning_content: 'Let me think.',
      thinking_blocks: [{ type: 'thinking', signature: 'gw1e.sealed' }],
    });
    expect(whole.usage).toMatchObject({ prompt_tokens: 16, completion_tokens: 7 });
    expect(chatStreamViolations(streamed, { includeUsage: true })).toEqual([]);
    expect(streamed).toContain('gw1e.sealed');
    expect(await recordOf(stage, accountId)).toMatchObject({
      dialect: 'chat',
      upstream_dialect: 'responses',
    });
  });

  it('send their tools, settings and history as its items', async () => {
    const { apiKey } = await stage.aKey();
    const sent = post(`${stage.url}/v1/chat/completions`, {
      headers: asChat(apiKey),
      body: {
        model: 'mine',
        max_tokens: 100,
        reasoning_effort: 'high',
        stop: ['END'],
        tools: [{ type: 'function', function: weather }],
        tool_choice: { type: 'function', function: { name: 'get_weather' } },
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object' } },
        },
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'hi' },
              { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
            ],
          },
          {
            role: 'assistant',
            content: 'Well.',
            thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'gw1e.sealed' }],
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: '19 degrees' },
        ],
      },
    });

    expect(await sent.status).toBe(200);
    expect(upstream.received[0]!.json).toEqual({
      model: 'up-r',
      instructions: 'Be brief.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'hi' },
            { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
          ],
        },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: 'sealed',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: '19 degrees' },
      ],
      max_output_tokens: 100,
      reasoning: { effort: 'high', summary: 'auto' },
      tools: [{ type: 'function', strict: false, ...weather }],
      tool_choice: { type: 'function', name: 'get_weather' },
      text: {
        format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: false },
      },
      include: ['reasoning.encrypted_content'],
      store: false,
    });
  });

  it('messages get blocks by their grammar, and go on thinking', async () => {
    const { apiKey } = await stage.aKey();
    const ask = (extra: object) =>
      post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('mine', extra) });

    const whole = JSON.parse(await ask({}).body) as { content: Json[]; usage: Json };
    const streamed = await ask({ stream: true }).body;

    expect(whole.content).toEqual([
      { type: 'thinking', thinking: 'Let me think.', signature: 'gw1e.sealed' },
      { type: 'text', text: 'Hello there.' },
    ]);
    expect(whole.usage).toMatchObject({
      input_tokens: 11,
      cache_read_input_tokens: 5,
      output_tokens: 7,
    });
    expect(readMessage(streamed).blocks).toEqual(whole.content);
    await ask({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: whole.content },
        { role: 'user', content: 'and?' },
      ],
    }).body;
    expect((upstream.received[2]!.json['input'] as Json[])[1]).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Let me think.' }],
      encrypted_content: 'sealed',
    });
  });

  it('hear of a stream that it cut', async () => {
    const { apiKey, accountId } = await stage.aKey();
    opened.respondWith(({ response, json }) => {
      response.writeHead(200, eventStream);
      response.end(responsesEvents(json).slice(0, -1).join(''));
    });

    const text = await post(`${stage.url}/v1/chat/completions`, {
      headers: asChat(apiKey),
      body: hello('mine', { stream: true }),
    }).body;

    expect(text).toContain('upstream_truncated');
    expect(text).not.toContain('[DONE]');
    expect(await recordOf(stage, accountId)).toMatchObject({ outcome: 'failed', estimated: true });
  });
});
