import type { ValidateFunction } from 'ajv';
import { referencesIn, type References } from '@gateway/text-dialects';
import { createAjv } from './ajv.ts';
import { textRequestSchemas } from './text-request-schemas.ts';
import { requestError, violationsOf, type Violation } from './violation.ts';

/**
 * What the text lane must know of a request before it knows the model; the rest of the body travels
 * on as it came.
 */
export interface TextRequestHead {
  readonly model: string;
  readonly stream: boolean;
  /** Most tokens of the completion, when the client bounded it. */
  readonly maxTokens: number | undefined;
  /** Chat: how many completions it wants; 1 where the dialect knows one. */
  readonly choices: number;
  /** Chat: the client asked for the usage chunk of a stream. */
  readonly includeUsage: boolean;
  /** Responses: what the gateway keeps and is asked for. */
  readonly kept?: KeptResponses | undefined;
}

export interface KeptResponses {
  /** The response is to be kept. */
  readonly store: boolean;
  /** What the request builds on; undefined for most. */
  readonly references: References | undefined;
}

export interface TextRequestReader {
  /** Body of `POST /v1/messages`. */
  messages(body: unknown): TextRequestHead;
  /** Body of `POST /v1/messages/count_tokens`: the same without `max_tokens`. */
  countTokens(body: unknown): TextRequestHead;
  /** Body of `POST /v1/chat/completions`. */
  chat(body: unknown): TextRequestHead;
  /** Body of `POST /v1/responses`. */
  responses(body: unknown): TextRequestHead;
  /** Body of `POST /v1/embeddings`. */
  embeddings(body: unknown): TextRequestHead;
}

/**
 * Checks the bodies of the text routes: strict on what the interface document types, lenient on all
 * else, so that new fields reach an upstream that knows them. Each throws a GatewayError with every
 * violation.
 */
export function createTextRequestReader(): TextRequestReader {
  const ajv = createAjv();
  const messages = ajv.compile(textRequestSchemas.messages);
  const countTokens = ajv.compile(textRequestSchemas.countTokens);
  const chat = ajv.compile(textRequestSchemas.chat);
  const responses = ajv.compile(textRequestSchemas.responses);
  const embeddings = ajv.compile(textRequestSchemas.embeddings);
  return {
    messages: (body) => messagesHead(checked(body, messages, noExtras)),
    countTokens: (body) => messagesHead(checked(body, countTokens, noExtras)),
    chat: (body) => chatHead(checked(body, chat, chatExtras)),
    responses: (body) => responsesHead(checked(body, responses, responsesExtras)),
    embeddings: (body) => embeddingsHead(checked(body, embeddings, noExtras)),
  };
}

interface TextBody {
  readonly model: string;
  readonly stream?: boolean | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly max_output_tokens?: number | null;
  readonly store?: boolean | null;
  readonly n?: number | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
}

const messagesHead = ({ model, stream, max_tokens: maxTokens }: TextBody): TextRequestHead => ({
  model,
  stream: stream === true,
  maxTokens: maxTokens ?? undefined,
  choices: 1,
  includeUsage: false,
});

const chatHead = ({
  model,
  stream,
  max_tokens: maxTokens,
  max_completion_tokens: maxCompletion,
  n,
  stream_options: options,
}: TextBody): TextRequestHead => ({
  model,
  stream: stream === true,
  maxTokens: maxCompletion ?? maxTokens ?? undefined,
  choices: n ?? 1,
  includeUsage: options?.include_usage === true,
});

const responsesHead = (body: TextBody): TextRequestHead => ({
  model: body.model,
  stream: body.stream === true,
  maxTokens: body.max_output_tokens ?? undefined,
  choices: 1,
  includeUsage: true,
  kept: { store: body.store !== false, references: referencesIn({ ...body }) },
});

/** Nothing is written that could be bounded. */
const embeddingsHead = ({ model }: TextBody): TextRequestHead => ({
  model,
  stream: false,
  maxTokens: 0,
  choices: 1,
  includeUsage: false,
});

type ExtraChecks = (body: Readonly<Record<string, unknown>>) => Violation | undefined;

function checked(body: unknown, validate: ValidateFunction, extras: ExtraChecks): TextBody {
  const bound = boundViolation(body);
  if (bound !== undefined) throw requestError([bound]);
  const extra = isObject(body) ? extras(body) : undefined;
  const [first, ...rest] = [
    ...(extra === undefined ? [] : [extra]),
    ...violationsOf(validate, body),
  ];
  if (first !== undefined) throw requestError([first, ...rest]);
  return body as TextBody;
}

/** As many messages as the messages format allows. */
const maxItems = 100_000;

/**
 * What keeps a body from the schema, whose complaints would outgrow it. How deep one may be nested is
 * judged before it is parsed.
 */
function boundViolation(body: unknown): Violation | undefined {
  const long = isObject(body)
    ? Object.keys(body).find((field) => Array.isArray(body[field]) && body[field].length > maxItems)
    : undefined;
  if (long !== undefined) {
    return {
      code: 'invalid_parameter',
      param: long.slice(0, 100),
      message: `${long.slice(0, 100)} must not have more than ${maxItems} items`,
    };
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const noExtras: ExtraChecks = () => undefined;

/**
 * Clients that speak the responses format only, on the chat route: they should hear it in one
 * sentence.
 */
const chatExtras: ExtraChecks = (body) =>
  body['messages'] === undefined && body['input'] !== undefined
    ? {
        code: 'unknown_parameter',
        param: 'input',
        message:
          'input belongs to the responses format; send the request to /v1/responses, or send messages as in chat completions',
      }
    : undefined;

/** Clients of chat completions on the responses route. */
const responsesExtras: ExtraChecks = (body) =>
  body['input'] === undefined && body['messages'] !== undefined
    ? {
        code: 'unknown_parameter',
        param: 'messages',
        message:
          'messages belong to the formats of chat completions and messages; send the request to /v1/chat/completions or /v1/messages, or send the conversation as input',
      }
    : undefined;
