import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asMessages, messagesCompletion, openTextStage } from './text-stage.ts';

/** Answers before it has read more than the head, and never reads the rest. */
async function openHastyUpstream(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    request.pause();
    response.writeHead(529, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Takes what comes in small pieces, each a turn later, so that a socket has much to write for long. */
async function openSlowUpstream(
  take: (body: string) => void,
): Promise<{ readonly url: string; readonly server: Server }> {
  const read = async (request: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const piece of request as AsyncIterable<Buffer>) {
      text += piece.toString('latin1');
      await new Promise(setImmediate);
    }
    return text;
  };
  const server = createServer((request, response) => {
    void read(request).then(
      (body) => {
        take(body);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(messagesCompletion));
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const taken: string[] = [];
let hasty: Awaited<ReturnType<typeof openHastyUpstream>>;
let slow: Awaited<ReturnType<typeof openSlowUpstream>>;
let stage: Awaited<ReturnType<typeof openTextStage>>;
let keys: readonly string[];
beforeAll(async () => {
  hasty = await openHastyUpstream();
  slow = await openSlowUpstream((body) => taken.push(body));
  stage = await openTextStage({
    yaml: `
providers:
  hasty: { kind: messages, base_url: "${hasty.url}", api_key: "\${KEY}" }
  slow: { kind: messages, base_url: "${slow.url}", api_key: "\${KEY}" }
models:
  one: { kind: text, routes: [{ provider: slow, model: one }] }
  renamed: { kind: text, routes: [{ provider: slow, model: other }] }
  second:
    kind: text
    routes: [{ provider: hasty, model: second }, { provider: slow, model: other, fallback: true }]
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
`,
  });
  keys = await Promise.all(Array.from({ length: 4 }, async () => (await stage.aKey()).apiKey));
});
afterAll(async () => {
  await stage.close();
  for (const { server } of [hasty, slow]) {
    server.close();
    server.closeAllConnections();
  }
});

/** A prompt that nobody else sends, all of one word. */
const promptOf = (customer: number, round: number): string =>
  `${String.fromCharCode(97 + customer)}${round} `.repeat(60_000 + 9_000 * customer);

const ask = (model: string, prompt: string, apiKey: string): Promise<Response> =>
  fetch(`${stage.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asMessages(apiKey) },
    body: JSON.stringify({
      model,
      max_tokens: 8,
      messages: [{ role: 'user', content: prompt }],
    }),
  });

describe('large bodies of several customers at once', () => {
  it.each(['one', 'renamed', 'second'])(
    'reach their upstreams as they were sent, though their memory is used again (%s)',
    async (model) => {
      taken.length = 0;
      const sent: string[] = [];
      const customer = async (apiKey: string, index: number): Promise<void> => {
        for (let round = 0; round < 6; round += 1) {
          const prompt = promptOf(index, round);
          sent.push(prompt);
          const response = await ask(model, prompt, apiKey);
          expect(response.status).toBe(200);
          await response.arrayBuffer();
        }
      };
      await Promise.all(keys.map(customer));

      const arrived = taken.map((body) => {
        const { messages } = JSON.parse(body) as { messages: { content: string }[] };
        return messages[0]?.content;
      });
      expect(new Set(arrived)).toEqual(new Set(sent));
    },
  );
});
