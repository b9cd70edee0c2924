import {
  createStreamTranslator,
  translateCompletion,
  translateRequest,
  type CompletionMemory,
  type Dialect,
  type Translation,
} from '@gateway/text-dialects';
import type { Json } from './responses-grammar.ts';

export const upstreams = {
  chat: { dialect: 'chat', vendor: 'openai', model: 'gpt-4o', overrides: {} },
  messages: { dialect: 'messages', vendor: 'anthropic', model: 'claude-sonnet-4-5', overrides: {} },
  responses: { dialect: 'responses', vendor: 'openai', model: 'gpt-4o', overrides: {} },
} as const;

export type Body = Record<string, unknown>;

export const aRequest = (fields: Body = {}): Body => ({ model: 'mine', input: 'Hello', ...fields });

/** The request as an upstream gets it. */
export function translated(
  fields: Body,
  upstream: Dialect = 'chat',
  overrides: Body = {},
): { body: Body; dropped: readonly string[]; memory: CompletionMemory } {
  const written = translateRequest('responses', aRequest(fields), {
    ...upstreams[upstream],
    overrides,
  });
  return { ...written, body: JSON.parse(JSON.stringify(written.body)) as Body };
}

export const messagesFor = (fields: Body, upstream: Dialect = 'chat'): readonly Json[] =>
  translated(fields, upstream).body['messages'] as Json[];

export function aTranslation(
  upstream: Dialect,
  fields: Body = {},
  more: Partial<Translation> = {},
): Translation {
  let made = 0;
  return {
    client: 'responses',
    upstream,
    memory: translated({ stream: true, ...fields }, upstream).memory,
    identity: {
      model: 'mine',
      created: 1_760_000_000,
      now: () => 1_760_000_009,
      newSuffix: () => `suffix${(made += 1)}`,
    },
    ...more,
  };
}

export function streamed(translation: Translation, pieces: readonly (Buffer | string)[]): string {
  const translator = createStreamTranslator(translation);
  return [...pieces.map((piece) => translator.push(Buffer.from(piece))), translator.end()].join('');
}

export const wholeOf = (translation: Translation, body: unknown): Json =>
  JSON.parse(
    translateCompletion({ ...translation, body: Buffer.from(JSON.stringify(body)) }).body,
  ) as Json;
