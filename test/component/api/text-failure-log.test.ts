import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asMessages,
  behave,
  createOpener,
  eventStream,
  hello,
  messagesEvents,
  openUpstream,
  post,
  type TextStage,
  type UpstreamRequest,
} from './text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);

const twoRoutes = (first: string, second: string): string => `
providers:
  one: { kind: messages, base_url: "${first}", api_key: "\${KEY}", first_byte_timeout_seconds: 0.3, answer_timeout_seconds: 0.3 }
  two: { kind: messages, base_url: "${second}", api_key: "\${KEY}" }
models:
  m: { kind: text, routes: [{ provider: one, model: up }, { provider: two, model: up, fallback: true }] }
`;
const warnings = ({ log }: TextStage): { message: string; fields: object }[] =>
  log.lines
    .filter(({ level }) => level === 'warn')
    .map(({ message, fields }) => ({ message, fields }));

async function failingAt(
  url: string,
  path = '/v1/messages',
): Promise<{ stage: TextStage; requestId: string }> {
  const good = await upstreamThat(behave);
  const { stage, apiKey } = await stageWith({ yaml: twoRoutes(url, good.url) });
  const client = post(`${stage.url}${path}`, {
    headers: { ...asMessages(apiKey), 'x-request-id': 'mine' },
    body: hello('m', { metadata: { user_id: 'somebody' } }),
  });
  expect(await client.status).toBe(200);
  await client.body;
  return { stage, requestId: 'mine' };
}

describe('the log of text upstreams', () => {
  const line = (attempt: number, rest: object) => ({
    message: 'text upstream failed',
    fields: { requestId: 'mine', provider: 'one', route: 'one/up', attempt, ...rest },
  });

  it('names who could not be reached, once an attempt', async () => {
    const gone = await openUpstream();
    await gone.close();

    const { stage } = await failingAt(gone.url);

    expect(warnings(stage)).toEqual([
      line(1, { failure: 'unreachable', code: 'ECONNREFUSED' }),
      line(2, { failure: 'unreachable', code: 'ECONNREFUSED' }),
    ]);
  });

  it('names a host that nobody knows', async () => {
    const { stage } = await failingAt('http://upstream.invalid');

    expect(warnings(stage)[0]).toEqual(
      line(1, { failure: 'unreachable', code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) }),
    );
  });

  it('names a TLS handshake that failed', async () => {
    const plain = await upstreamThat(behave);

    const { stage } = await failingAt(plain.url.replace('http:', 'https:'));

    expect(warnings(stage)[0]).toEqual(
      line(1, {
        failure: expect.stringMatching(/^(unreachable|broken)$/),
        code: expect.stringMatching(/SSL|TLS|EPROTO|ECONNRESET/),
      }),
    );
  });

  it.each<[string, (request: UpstreamRequest) => void, object]>([
    [
      'a connection that breaks',
      ({ response }) => {
        response.destroy();
      },
      { failure: 'broken', code: 'UND_ERR_SOCKET' },
    ],
    [
      'a response that does not come',
      () => undefined,
      { failure: 'timeout', code: 'UND_ERR_HEADERS_TIMEOUT' },
    ],
    [
      'an upstream that refuses our key',
      ({ response }) => {
        response.writeHead(401).end('vendor-secret is not a key');
      },
      { failure: 'refused', status: 401 },
    ],
  ])('names %s', async (_case, respond, fields) => {
    const bad = await upstreamThat(respond);

    const { stage } = await failingAt(bad.url);

    expect(warnings(stage)[0]).toEqual(line(1, fields));
    expect(JSON.stringify(warnings(stage))).not.toMatch(/vendor-secret|Say hello|somebody/);
  });

  it('names a stream that breaks off after its first byte', async () => {
    const bad = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, 3).join(''), () => {
        response.destroy();
      });
    });
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(bad.url, bad.url) });

    await post(`${stage.url}/v1/messages`, {
      headers: { ...asMessages(apiKey), 'x-request-id': 'mine' },
      body: hello('m', { stream: true }),
    }).body;

    await eventually(() => {
      expect(warnings(stage)).toEqual([line(1, { failure: 'broken', code: 'UND_ERR_SOCKET' })]);
    });
  });

  it('names a failed count of tokens, which the client does not notice', async () => {
    const bad = await upstreamThat(({ response }) => {
      response.destroy();
    });

    const { stage } = await failingAt(bad.url, '/v1/messages/count_tokens');

    expect(warnings(stage)).toEqual([line(0, { failure: 'broken', code: 'UND_ERR_SOCKET' })]);
  });

  it.each<[string, (request: UpstreamRequest) => void]>([
    ['a good response', behave],
    [
      'a refusal of the request itself',
      ({ response }) => {
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
      },
    ],
  ])('says nothing about %s', async (_case, respond) => {
    const upstream = await upstreamThat(respond);
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(upstream.url, upstream.url) });

    await post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m') }).body;

    expect(warnings(stage)).toEqual([]);
  });
});
