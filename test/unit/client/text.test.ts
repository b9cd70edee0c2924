import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError, GatewayClient, type TextDialect } from '@gateway/client';
import { openPeer, type Peer } from '@gateway/testing';

let gateway: Peer;
let stream = '';
beforeAll(async () => {
  gateway = await openPeer((_received, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.received.length = 0;
});

const asked = { model: 'm', messages: [{ role: 'user', content: 'hello' }], maxTokens: 9 } as const;
const dataOf = (...events: readonly (object | string)[]): string =>
  events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');

async function read(dialect: TextDialect, options: { system?: string; signal?: AbortSignal } = {}) {
  const { signal, ...more } = options;
  const client = new GatewayClient({ baseUrl: gateway.url, apiKey: 'sk-gw-x' });
  const pieces = client.text.stream({ ...asked, ...more }, { dialect, signal });
  const text: string[] = [];
  let piece = await pieces.next();
  for (; piece.done !== true; piece = await pieces.next()) text.push(piece.value);
  return { text, end: piece.value };
}

const chatStart = dataOf(
  { choices: [{ delta: { role: 'assistant', content: '' } }] },
  { choices: [{ delta: { content: 'Hel' } }] },
  { choices: [{ delta: { content: 'lo' } }] },
);
const messagesStart = dataOf(
  { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
);

describe('a text from the client', () => {
  it('comes in pieces in the chat dialect', async () => {
    stream =
      chatStart +
      dataOf(
        { choices: [{ delta: {}, finish_reason: 'length' }] },
        { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
        '[DONE]',
      );

    expect(await read('chat', { system: 'Be brief.' })).toEqual({
      text: ['Hel', 'lo'],
      end: { stopReason: 'length', inputTokens: 7, outputTokens: 2 },
    });
    const [{ path, headers, body }] = gateway.received as [Peer['received'][number]];
    expect([path, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer sk-gw-x']);
    expect(JSON.parse(body.toString())).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, asked.messages[0]],
      max_tokens: 9,
      stream: true,
    });
  });

  it('comes in pieces in the messages dialect', async () => {
    stream =
      messagesStart +
      dataOf(
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      );

    expect(await read('messages', { system: 'Be brief.' })).toEqual({
      text: ['Hello'],
      end: { stopReason: 'end_turn', inputTokens: 7, outputTokens: 2 },
    });
    const [{ headers, body }] = gateway.received as [Peer['received'][number]];
    expect(headers['anthropic-version']).toBe('2023-06-01');
    expect(JSON.parse(body.toString())).toMatchObject({ system: 'Be brief.' });
  });

  it.each([
    ['chat', chatStart],
    ['messages', messagesStart],
  ] as const)(
    'that breaks off in the %s dialect throws, and is asked for once',
    async (dialect, start) => {
      stream = start;

      await expect(read(dialect)).rejects.toBeInstanceOf(ConnectionError);
      expect(gateway.received).toHaveLength(1);
    },
  );

  it.each([
    ['chat', chatStart + dataOf({ error: { message: 'gone', code: 'upstream_failed' } })],
    [
      'messages',
      messagesStart +
        dataOf({
          type: 'error',
          error: { type: 'api_error', message: 'gone', code: 'upstream_failed' },
        }),
    ],
  ] as const)(
    'that fails in the middle in the %s dialect throws what it was',
    async (dialect, body) => {
      stream = body;

      const failure = read(dialect);

      await expect(failure).rejects.toBeInstanceOf(ApiError);
      await expect(failure).rejects.toMatchObject({ message: 'gone', code: 'upstream_failed' });
    },
  );

  it('ends with the reason of its signal', async () => {
    const reason = new Error('enough');

    await expect(read('chat', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
