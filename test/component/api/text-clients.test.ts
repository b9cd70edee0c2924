import { afterEach, describe, expect, it } from '@jest/globals';
import {
  asChat,
  asMessages,
  behave,
  chatEvents,
  createOpener,
  eventStream,
  hello,
  messagesEvents,
  post,
  type UpstreamRequest,
} from './text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);

const thread = { thread: { type: 'continue', previous_message_id: 'msg_1' } };
const unsupported = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: expect.stringContaining('send the whole conversation'),
    details: { error_code: 'thread_unsupported_request' },
  },
  request_id: expect.any(String),
};

const unavailable = ({ response }: UpstreamRequest): void => {
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end('{"type":"error","error":{"type":"api_error","message":"down"}}');
};

describe('a thread of the messages dialect', () => {
  it('never reaches a chat upstream without its conversation', async () => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: `
providers: { c: { kind: chat, base_url: "${upstream.url}/v1", api_key: "\${KEY}" } }
models: { m: { kind: text, routes: [{ provider: c, model: up }] } }`,
    });
    const ask = (extra: object) =>
      post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m', extra) });

    const refused = ask(thread);
    expect([await refused.status, JSON.parse(await refused.body)]).toEqual([400, unsupported]);
    expect(upstream.received).toHaveLength(0);
    expect(await ask({}).status).toBe(200);
  });

  it('is kept by no vendor that nobody allowed it for, and the client can go on without it', async () => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: `
providers: { one: { kind: messages, base_url: "${upstream.url}", api_key: "\${KEY}" } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }`,
    });

    const refused = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', thread),
    });

    expect([await refused.status, JSON.parse(await refused.body)]).toEqual([
      400,
      {
        ...unsupported,
        error: { ...unsupported.error, message: expect.stringContaining('forward.fields') },
      },
    ]);
    expect(upstream.received).toHaveLength(0);
  });

  it('goes to an upstream that it is allowed for; where that fails, the client can go on without it', async () => {
    let down = false;
    const claude = await upstreamThat((request) => {
      if (down) unavailable(request);
      else behave(request);
    });
    const open = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: `
providers:
  one: { kind: messages, base_url: "${claude.url}", api_key: "\${KEY}", forward: { fields: [thread] } }
  two: { kind: chat, base_url: "${open.url}/v1", api_key: "\${KEY}" }
models:
  m: { kind: text, routes: [{ provider: one, model: m }, { provider: two, model: m, fallback: true }] }`,
    });
    const ask = (extra: object) =>
      post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m', extra) });

    expect(await ask(thread).status).toBe(200);
    expect(claude.received[0]?.json).toMatchObject(thread);

    down = true;
    const refused = ask(thread);
    expect([await refused.status, JSON.parse(await refused.body)]).toEqual([400, unsupported]);
    expect(open.received).toHaveLength(0);
    expect(await ask({}).status).toBe(200);
    expect(open.received).toHaveLength(1);

    // Nothing that this client could leave out: the failure itself is what it must hear of.
    expect(await ask({ compaction: { type: 'auto' } }).status).toBe(503);
  });
});

describe('a document that a model cannot be shown', () => {
  it('is told in words and named, and what is asked after it is served', async () => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: `
providers: { c: { kind: chat, vendor: kimi, base_url: "${upstream.url}/v1", api_key: "\${KEY}" } }
models: { m: { kind: text, routes: [{ provider: c, model: up }] } }`,
    });

    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'document',
                title: 'report.pdf',
                source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              },
            ],
          },
          { role: 'assistant', content: 'I cannot see it.' },
          { role: 'user', content: 'Never mind.' },
        ],
      }),
    });

    expect(await client.status).toBe(200);
    expect((await client.headers)['x-gateway-dropped-params']).toBe('messages.document');
    expect(upstream.received[0]?.json).toMatchObject({
      messages: [
        { role: 'user', content: expect.stringMatching(/report\.pdf.*cannot be shown/) },
        { role: 'assistant' },
        { role: 'user', content: 'Never mind.' },
      ],
    });
  });
});

describe('a stream whose last event lacks the blank line behind it', () => {
  it.each(['\n', ''])('is complete for clients of each dialect, ending in %j', async (end) => {
    const upstream = await upstreamThat(({ path, response }) => {
      const events = path.includes('messages') ? messagesEvents : chatEvents;
      response.writeHead(200, eventStream);
      response.end(`${events.join('').trimEnd()}${end}`);
    });
    const { stage, apiKey } = await stageWith({
      yaml: `
providers:
  m: { kind: messages, base_url: "${upstream.url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${upstream.url}/v1", api_key: "\${KEY}" }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, routes: [{ provider: c, model: up-c }] }`,
    });

    for (const model of ['up-m', 'up-c']) {
      const body = hello(model, { stream: true });
      const messages = post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body });
      const chat = post(`${stage.url}/v1/chat/completions`, { headers: asChat(apiKey), body });
      const [one, other] = [(await messages.body).trimEnd(), (await chat.body).trimEnd()];

      expect(one + other).not.toContain('"error"');
      expect([one.slice(-15), other.slice(-6)]).toEqual(['"message_stop"}', '[DONE]']);
    }
  });
});

describe('a path of the messages SDK that nobody serves', () => {
  it('is not found in the words of its clients, and of others', async () => {
    const { stage, apiKey } = await stageWith({
      yaml: `
providers: { m: { kind: messages, base_url: "http://localhost:9", api_key: "\${KEY}" } }
models: { m: { kind: text, routes: [{ provider: m, model: m }] } }`,
    });
    const ask = async (asked: string, headers: Record<string, string>) => {
      const [method, path] = asked.split(' ');
      const response = await fetch(`${stage.url}${path}`, { method: method ?? '', headers });
      return {
        status: response.status,
        body: await response.json(),
        id: response.headers.get('request-id'),
      };
    };

    for (const asked of [
      'GET /v1/files',
      'POST /v1/files',
      'GET /v1/skills',
      'POST /v1/complete',
    ]) {
      const messages = await ask(asked, asMessages(apiKey));
      expect(messages).toEqual({
        status: 404,
        body: {
          type: 'error',
          error: { type: 'not_found_error', message: expect.any(String) },
          request_id: messages.id,
        },
        id: expect.any(String),
      });
      expect(await ask(asked, asChat(apiKey))).toMatchObject({
        status: 404,
        body: { error: { code: expect.stringMatching(/not_found/) } },
      });
    }
  });
});
