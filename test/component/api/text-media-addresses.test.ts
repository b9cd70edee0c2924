import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  asMessages,
  behave,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
} from './text-stage.ts';

const yamlOf = (url: string): string => `
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}", fetches_media: private }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}", fetches_media: private }
  vendor: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  own-m: { kind: text, routes: [{ provider: m, model: own-m }] }
  own-c: { kind: text, routes: [{ provider: c, model: own-c }] }
  vendor: { kind: text, routes: [{ provider: vendor, model: vendor }] }
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

const ask = (path: string, model: string, ...messages: object[]) =>
  post(`${stage.url}${path}`, {
    headers: asMessages(apiKey),
    body: { model, max_tokens: 5, messages },
  });
const user = (...content: object[]): object => ({ role: 'user', content });
const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const source = (url: string): object => ({ type: 'image', source: { type: 'url', url } });

describe('an address of media for an upstream of the operator’s own', () => {
  it.each([
    'http://127.0.0.1/x.png',
    'https://10.0.0.7/x.png#part',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/x',
    'http://0x7f.1/x',
    'http://localhost:8080/x',
    'http://metadata.google.internal/x',
    'http://user:pass@93.184.216.34/x',
    'http://93.184.216.34:22/x',
    'file:///etc/passwd',
    ' \tfile:///etc/passwd',
    'ftp://93.184.216.34/x',
    '//10.0.0.7/x.png',
  ])('is a 400 that names the field: %s', async (url) => {
    const before = upstream.received.length;
    const asked = [
      [
        'messages[0].content[0].image_url.url',
        ask('/v1/chat/completions', 'own-c', user(image(url))),
      ],
      ['messages[0].content[0].source.url', ask('/v1/messages', 'own-m', user(source(url)))],
      ['messages[0].content[0].source.url', ask('/v1/messages', 'own-c', user(source(url)))],
      [
        'messages[0].content[0].source.url',
        ask('/v1/messages/count_tokens', 'own-m', user(source(url))),
      ],
    ] as const;

    for (const [param, client] of asked) {
      expect(await client.status).toBe(400);
      expect(await client.body).toContain(param);
    }
    expect(upstream.received).toHaveLength(before);
  });

  it.each<[string, string, string, object[]]>([
    [
      '/v1/messages',
      'own-m',
      'messages[1].content[0].content[0].source.url',
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        user({ type: 'tool_result', tool_use_id: 't', content: [source('http://10.0.0.7/x')] }),
      ],
    ],
    [
      '/v1/messages',
      'own-m',
      'messages[0].content[0].source.content[0].source.url',
      [
        user({
          type: 'document',
          source: { type: 'content', content: [source('http://10.0.0.7/x')] },
        }),
      ],
    ],
    [
      '/v1/chat/completions',
      'own-c',
      'messages[0].content[0].video_url.url',
      [user({ type: 'video_url', video_url: { url: 'http://10.0.0.7/x' } })],
    ],
    [
      '/v1/chat/completions',
      'own-c',
      'messages[0].content[0].image_url',
      [user({ type: 'image_url', image_url: 'http://10.0.0.7/x' })],
    ],
    [
      '/v1/chat/completions',
      'own-c',
      'messages[0].content[0].file.file_data',
      [user({ type: 'file', file: { file_data: 'http://10.0.0.7/x' } })],
    ],
    [
      '/v1/chat/completions',
      'own-c',
      'messages[0].content[0].video[0]',
      [user({ type: 'video', video: ['http://10.0.0.7/x'] })],
    ],
  ])('is found wherever it stands: %s %s %s', async (path, model, param, messages) => {
    const client = ask(path, model, ...messages);

    expect(await client.status).toBe(400);
    expect(await client.body).toContain(param);
  });

  it.each([
    ['a public address', [user(image('https://93.184.216.34/x.png#part'))]],
    ['data', [user(image('data:image/png;base64,aGVsbG8='))]],
    ['text', [user({ type: 'text', text: 'http://127.0.0.1/' })]],
    [
      'what a tool was called with',
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 't',
              type: 'function',
              function: { name: 'f', arguments: '{"image_url":"http://127.0.0.1/"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 't', content: 'http://127.0.0.1/' },
      ],
    ],
  ])('goes there when it is %s', async (_what, messages) => {
    expect(await ask('/v1/chat/completions', 'own-c', ...messages).status).toBe(200);
    expect(upstream.received.at(-1)!.json['messages']).toEqual(messages);
  });

  it('is the vendor’s business where a vendor fetches', async () => {
    const client = ask('/v1/chat/completions', 'vendor', user(image('http://10.0.0.7/x.png')));

    expect(await client.status).toBe(200);
  });
});
