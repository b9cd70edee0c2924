import { eventually } from '@gateway/testing';
import type { Json } from '../../unit/text-dialects/responses-grammar.ts';
import { responseOf, responsesEvents } from '../../unit/text-dialects/responses-samples.ts';
import {
  asChat,
  behave as behaveOtherwise,
  eventStream,
  openTextStage,
  openUpstream,
  post,
  type Client,
  type TextStage,
  type Upstream,
  type UpstreamRequest,
} from './text-stage.ts';

/** A vendor of the responses format, to the byte. */
export function behave(request: UpstreamRequest): void {
  const { json, response, path } = request;
  if (!path.endsWith('/responses')) {
    behaveOtherwise(request);
  } else if (json['stream'] === true) {
    response.writeHead(200, eventStream);
    response.end(responsesEvents(json).join(''));
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_upstream' });
    response.end(JSON.stringify(responseOf(json), undefined, 1));
  }
}

export interface ResponsesStage {
  readonly stage: TextStage;
  readonly upstream: Upstream;
  /** Responds to what reaches the upstream from now on. */
  respondWith(respond: (request: UpstreamRequest) => void): void;
  send(apiKey: string, fields: object): Client;
  close(): Promise<void>;
}

/** The api in front of a scripted upstream of the responses format. */
export async function openResponsesStage(pingMs = 15_000): Promise<ResponsesStage> {
  let respond = behave;
  const upstream = await openUpstream((request) => {
    respond(request);
  });
  const at = (path: string, kind = 'responses') =>
    `kind: ${kind}, base_url: "${upstream.url}/${path}", api_key: "\${KEY}"`;
  const stage = await openTextStage({
    settings: { TEXT_PING_MS: pingMs },
    yaml: `
providers:
  r: { ${at('v1')}, quirks: { encrypted_reasoning: true, reasoning_words: [low, high] } }
  plain: { ${at('plain/v1')} }
  storing: { ${at('storing/v1')}, forward: { fields: [store] } }
  c: { ${at('chat/v1', 'chat')} }
  one: { ${at('one/v1')}, max_concurrent: 1 }
models:
  mine: { kind: text, token_quota: { input: 2, cached_input: 1, output: 5, per: 1, server_tools: { web_search: 10 } }, routes: [{ provider: r, model: up-r }] }
  up-p: { kind: text, routes: [{ provider: plain, model: up-p }] }
  storing: { kind: text, routes: [{ provider: storing, model: up-s }] }
  both: { kind: text, routes: [{ provider: r, model: up-r }, { provider: c, model: up-c, fallback: true }] }
  one: { kind: text, routes: [{ provider: one, model: up-o }] }
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
`,
  });
  return {
    stage,
    upstream,
    respondWith(given) {
      respond = given;
    },
    send: (apiKey, fields) =>
      post(`${stage.url}/v1/responses`, {
        headers: asChat(apiKey),
        body: { model: 'mine', input: 'Say hello.', max_output_tokens: 50, ...fields },
      }),
    async close() {
      await stage.close();
      await upstream.close();
    },
  };
}

export const responseTo = async (sent: Client): Promise<Json> =>
  JSON.parse(await sent.body) as Json;
export const errorIn = async (sent: Client): Promise<Json> =>
  (await responseTo(sent))['error'] as Json;

/** The usage record of an account that has made one request. */
export const recordOf = (stage: TextStage, accountId: string) =>
  eventually(async () => {
    const found = (await stage.usage(1)).find(({ account_id: id }) => id === accountId);
    if (found === undefined) throw new Error('no usage record yet');
    return found;
  });
