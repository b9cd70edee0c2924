import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { responsesEvents } from '../../unit/text-dialects/responses-samples.ts';
import {
  asChat,
  asMessages,
  chatEvents,
  createOpener,
  eventStream,
  hello,
  messagesEvents,
  post,
} from './text-stage.ts';

const yamlOf = (url: string): string => `
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
  r: { kind: responses, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  up-m: { kind: text, token_quota: { input: 3, output: 15, per: 1000 }, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, token_quota: { input: 3, output: 15, per: 1000 }, routes: [{ provider: c, model: up-c }] }
  up-r: { kind: text, token_quota: { input: 3, output: 15, per: 1000 }, routes: [{ provider: r, model: up-r }] }
`;

const { upstreamThat, stageWith, closeAll } = createOpener();

/** The responses of the api to requests of this test's clients. */
const responses: ServerResponse[] = [];
const started = 'http.server.request.start';
const note = (message: unknown): void => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  if (request.headers['x-fault'] !== undefined) responses.push(response);
};
beforeEach(() => {
  responses.length = 0;
  subscribe(started, note);
});
afterEach(async () => {
  unsubscribe(started, note);
  await closeAll();
});

const responding = responsesEvents({ model: 'up-r' });
const hellos = responding.findIndex((event) => event.includes('"delta":"Hello"')) + 1;
const streams = {
  'up-m': [messagesEvents.slice(0, 3).join(''), messagesEvents[3]!],
  'up-c': [chatEvents.slice(0, 2).join(''), chatEvents[2]!],
  'up-r': [responding.slice(0, hellos).join(''), responding[hellos]!],
};
const bodyOf = (path: string, model: string): object =>
  path === '/v1/responses'
    ? { model, max_output_tokens: 100, input: 'Say hello.', stream: true }
    : hello(model, { stream: true });

describe('an exception that nobody expects, in the middle of a stream', () => {
  it.each([
    ['/v1/messages', 'up-m'],
    ['/v1/messages', 'up-c'],
    ['/v1/chat/completions', 'up-m'],
    ['/v1/chat/completions', 'up-c'],
    ['/v1/messages', 'up-r'],
    ['/v1/chat/completions', 'up-r'],
    ['/v1/responses', 'up-m'],
    ['/v1/responses', 'up-c'],
    ['/v1/responses', 'up-r'],
  ] as const)(
    'cuts the stream on %s from %s, lets the upstream go, and charges what went through',
    async (path, model) => {
      const [first, second] = streams[model] as [string, string];
      let goOn = (): void => undefined;
      const upstream = await upstreamThat(({ response }) => {
        response.writeHead(200, eventStream);
        response.write(first);
        goOn = () => response.write(second);
      });
      const { stage, apiKey } = await stageWith({ yaml: yamlOf(upstream.url) });
      const client = post(`${stage.url}${path}`, {
        headers: { ...asMessages(apiKey), ...asChat(apiKey), 'x-fault': 'yes' },
        body: bodyOf(path, model),
      });
      await eventually(() => {
        expect(client.text()).toContain('Hello');
      });

      responses[0]!.write = () => {
        throw new Error('nobody expected this');
      };
      goOn();

      await expect(client.body).rejects.toThrow();
      const [record] = await stage.usage(1);
      expect(record).toMatchObject({ outcome: 'failed', estimated: true, model });
      expect(record!.input_tokens + record!.cached_input_tokens).toBeGreaterThan(0);
      expect(record!.output_tokens).toBeGreaterThan(0);
      await eventually(() => {
        expect(upstream.received[0]!.aborted()).toBe(true);
      });
    },
  );
});
