import type { ValidateFunction } from 'ajv';
import { createAjv, requestError, violationsOf, type Violation } from './violation.ts';

/**
 * What the text lane must know of a request before it knows the model; the rest of the body travels
 * on as it came.
 */
export interface TextRequestHead {
  readonly model: string;
  readonly stream: boolean;
  /** Most tokens of the answer, when the client bounded it. */
  readonly maxTokens: number | undefined;
  /** Chat: the client asked for the usage chunk of a stream. */
  readonly includeUsage: boolean;
}

export interface TextRequestReader {
  /** Body of `POST /v1/messages`. */
  messages(body: unknown): TextRequestHead;
  /** Body of `POST /v1/messages/count_tokens`: the same without `max_tokens`. */
  countTokens(body: unknown): TextRequestHead;
  /** Body of `POST /v1/chat/completions`. */
  chat(body: unknown): TextRequestHead;
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
  return {
    messages: (body) => messagesHead(checked(body, messages, messagesExtras)),
    countTokens: (body) => messagesHead(checked(body, countTokens, messagesExtras)),
    chat: (body) => chatHead(checked(body, chat, chatExtras)),
  };
}

interface TextBody {
  readonly model: string;
  readonly stream?: boolean | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
}

const messagesHead = ({ model, stream, max_tokens: maxTokens }: TextBody): TextRequestHead => ({
  model,
  stream: stream === true,
  maxTokens: maxTokens ?? undefined,
  includeUsage: false,
});

const chatHead = ({
  model,
  stream,
  max_tokens: maxTokens,
  max_completion_tokens: maxCompletion,
  stream_options: options,
}: TextBody): TextRequestHead => ({
  model,
  stream: stream === true,
  maxTokens: maxCompletion ?? maxTokens ?? undefined,
  includeUsage: options?.include_usage === true,
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

/** Tools' schemas are the deepest part of honest requests, at about twenty levels. */
const maxDepth = 64;
/** As many messages as the messages format allows. */
const maxItems = 100_000;

/** What keeps a body from the schema, whose complaints would outgrow it. */
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
  if (isDeeperThan(maxDepth, body)) {
    return {
      code: 'invalid_parameter',
      param: null,
      message: `the body must not be nested deeper than ${maxDepth} levels`,
    };
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const messagesExtras: ExtraChecks = () => undefined;

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
          'input belongs to the responses format, which this route does not support; send messages as in chat completions',
      }
    : undefined;

/**
 * Goes down only where something can be deeper: one step for each container, none for texts and
 * numbers.
 */
function isDeeperThan(limit: number, body: unknown): boolean {
  let level: object[] = typeof body === 'object' && body !== null ? [body] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = containersIn(level);
  }
  return false;
}

function containersIn(parents: readonly object[]): object[] {
  const children: object[] = [];
  for (const parent of parents) {
    for (const child of valuesIn(parent)) {
      if (typeof child === 'object' && child !== null) children.push(child);
    }
  }
  return children;
}

/** Object.values would copy an array, which most large containers are. */
const valuesIn = (parent: object): readonly unknown[] =>
  Array.isArray(parent) ? (parent as unknown[]) : Object.values(parent);

const range = (minimum: number, maximum: number, nullable = false) =>
  ({
    type: nullable ? ['number', 'null'] : 'number',
    minimum,
    maximum,
    'x-must-be': `a number between ${minimum} and ${maximum}`,
  }) as const;
const atLeastOne = {
  type: 'integer',
  minimum: 1,
  'x-must-be': 'an integer of at least 1',
} as const;
const maybeAtLeastOne = { ...atLeastOne, type: ['integer', 'null'] } as const;
const model = { type: 'string', minLength: 1, 'x-must-be': 'the id of a text model' } as const;
const textOrBlocks = {
  type: ['string', 'array'],
  'x-must-be': 'a string or an array of content blocks',
} as const;
const objects = (what: string, nullable = false) =>
  ({
    type: nullable ? ['array', 'null'] : 'array',
    items: { type: 'object', 'x-must-be': 'an object' },
    'x-must-be': `an array of ${what}`,
  }) as const;

const conversation = (roles: readonly string[], content: object) => ({
  type: 'array',
  minItems: 1,
  'x-must-be': 'an array of at least one message',
  items: {
    type: 'object',
    required: ['role'],
    'x-must-be': 'an object with role and content',
    properties: {
      role: { type: 'string', enum: roles, 'x-must-be': `one of ${roles.join(', ')}` },
      content,
    },
  },
});

/** `null` passes where a client's library writes it for "not set". */
function messagesSchema(required: readonly string[]): object {
  const messages = conversation(['user', 'assistant', 'system'], textOrBlocks);
  return {
    type: 'object',
    required,
    'x-must-be': 'a JSON object',
    properties: {
      model,
      max_tokens: atLeastOne,
      messages: { ...messages, items: { ...messages.items, required: ['role', 'content'] } },
      system: {
        type: ['string', 'array', 'null'],
        'x-must-be': 'a string or an array of text blocks',
      },
      stream: { type: ['boolean', 'null'], 'x-must-be': 'true or false' },
      temperature: range(0, 2, true),
      top_p: range(0, 1, true),
      top_k: { type: ['integer', 'null'], 'x-must-be': 'an integer' },
      stop_sequences: {
        type: ['array', 'null'],
        items: { type: 'string', 'x-must-be': 'a string' },
        'x-must-be': 'an array of strings',
      },
      tools: objects('tool definitions', true),
      tool_choice: { type: ['object', 'null'], 'x-must-be': 'an object such as {"type":"auto"}' },
    },
  };
}

const chatSchema: object = {
  type: 'object',
  required: ['model', 'messages'],
  'x-must-be': 'a JSON object',
  properties: {
    model,
    messages: conversation(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
      type: ['string', 'array', 'null'],
      'x-must-be': 'a string or an array of content parts',
    }),
    stream: { type: ['boolean', 'null'], 'x-must-be': 'true or false' },
    stream_options: {
      type: ['object', 'null'],
      'x-must-be': 'an object such as {"include_usage":true}',
      properties: { include_usage: { type: ['boolean', 'null'], 'x-must-be': 'true or false' } },
    },
    max_tokens: maybeAtLeastOne,
    max_completion_tokens: maybeAtLeastOne,
    temperature: range(0, 2, true),
    top_p: range(0, 1, true),
    n: maybeAtLeastOne,
    stop: {
      type: ['string', 'array', 'null'],
      items: { type: 'string', 'x-must-be': 'a string' },
      'x-must-be': 'a string or an array of strings',
    },
    tools: objects('tool definitions', true),
    tool_choice: {
      type: ['string', 'object', 'null'],
      'x-must-be': 'a string such as "auto", or an object that names a tool',
    },
  },
};

/** The schemas that check the bodies of the text routes, for the API reference too. */
export const textRequestSchemas = {
  messages: messagesSchema(['model', 'max_tokens', 'messages']),
  countTokens: messagesSchema(['model', 'messages']),
  chat: chatSchema,
} as const;
