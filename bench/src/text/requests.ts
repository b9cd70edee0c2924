import { modelOf, paceOf, pathOf } from './scripts.ts';
import type { Dialect, LargeBody, Route, Script } from './protocol.ts';

export interface OutgoingRequest {
  readonly path: string;
  /** Names and values in turn, as undici takes them fastest. */
  readonly headers: string[];
  readonly body: Buffer;
}

export interface SmallRequest {
  readonly route: Route;
  readonly script: Script;
  readonly apiKey: string;
  /** Default: the upstream's own name of what it does. */
  readonly model?: string | undefined;
}

const requestBytes = 1_024;
const largeBytes = 20_000_000;
/** Odd, so that the conversation begins and ends with the user. */
const messageCount = 99_999;

export const maxTokens: Readonly<Record<Dialect, object>> = {
  messages: { max_tokens: 1_024 },
  chat: { max_completion_tokens: 1_024 },
  responses: { max_output_tokens: 1_024 },
};
const streaming: Readonly<Record<Dialect, object>> = {
  messages: { stream: true },
  chat: { stream: true, stream_options: { include_usage: true } },
  responses: { stream: true },
};

/** Where each dialect has its conversation. */
const inputField: Readonly<Record<Dialect, string>> = {
  messages: 'messages',
  chat: 'messages',
  responses: 'input',
};

/** A request of 1 kB in the client's dialect, for a model that lives at the route's upstream. */
export function smallRequest({
  route,
  script,
  apiKey,
  model = modelOf(route.upstream, script),
}: SmallRequest): OutgoingRequest {
  const { client } = route;
  const make = (content: string): string =>
    JSON.stringify({
      model,
      ...maxTokens[client],
      ...(paceOf[script] !== undefined && streaming[client]),
      [inputField[client]]: [{ role: 'user', content }],
    });
  const missing = requestBytes - make('').length;
  return outgoing(client, make('lorem ipsum '.repeat(100).slice(0, missing)), apiKey);
}

/** A request of 20 MB that asks for the small response. */
export function largeRequest(route: Route, body: LargeBody, apiKey: string): OutgoingRequest {
  const { client, upstream } = route;
  const messages =
    body === 'base64'
      ? [
          {
            role: 'user',
            content: [
              imageOf[client]('iVBORw0KGgo'.padEnd(largeBytes, 'A')),
              { type: client === 'responses' ? 'input_text' : 'text', text: 'What is this?' },
            ],
          },
        ]
      : manyMessages();
  return outgoing(
    client,
    JSON.stringify({
      model: modelOf(upstream, 'whole'),
      ...maxTokens[client],
      [inputField[client]]: messages,
    }),
    apiKey,
  );
}

export const imageOf: Readonly<Record<Dialect, (data: string) => object>> = {
  messages: (data) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  }),
  chat: (data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
  responses: (data) => ({ type: 'input_image', image_url: `data:image/png;base64,${data}` }),
};

function manyMessages(): object[] {
  const content = 'lorem ipsum '
    .repeat(100)
    .slice(0, largeBytes / messageCount - '{"role":"assistant","content":""},'.length);
  return Array.from({ length: messageCount }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
}

export function outgoing(client: Dialect, body: string, apiKey: string): OutgoingRequest {
  const version = client === 'messages' ? ['anthropic-version', '2023-06-01'] : [];
  return {
    path: pathOf[client],
    headers: [
      'authorization',
      `Bearer ${apiKey}`,
      'content-type',
      'application/json',
      'user-agent',
      'bench',
      ...version,
    ],
    body: Buffer.from(body),
  };
}
