import { shapes, type Schema } from '@gateway/contracts';
import { streamSchemas } from './stream-schemas.ts';

const { constant, count, described, listOf, orNull, schemaOf, text, whole } = shapes;

/** Upstreams add fields of their own, and those of a client's own dialect go on to it. */
const open = (schema: Schema): Schema => ({ ...schema, additionalProperties: true });
const anyObject: Schema = { type: 'object', additionalProperties: true };

const message = open(
  schemaOf<
    Record<
      'id' | 'type' | 'role' | 'content' | 'model' | 'stop_reason' | 'stop_sequence' | 'usage',
      unknown
    >
  >(
    {
      id: text,
      type: constant('message'),
      role: constant('assistant'),
      model: text,
      content: listOf(
        open({
          type: 'object',
          required: ['type'],
          properties: { type: described(text, '`text`, `tool_use`, `thinking` and more.'), text },
        }),
      ),
      stop_reason: described(
        orNull(text),
        '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal` and more.',
      ),
      stop_sequence: orNull(text),
      usage: open({
        type: 'object',
        properties: {
          input_tokens: count,
          output_tokens: count,
          cache_creation_input_tokens: orNull(count),
          cache_read_input_tokens: orNull(count),
        },
      }),
    },
    { optional: ['stop_sequence', 'usage'] },
  ),
);

const completion = open(
  schemaOf<Record<'id' | 'object' | 'created' | 'model' | 'choices' | 'usage', unknown>>(
    {
      id: text,
      object: constant('chat.completion'),
      created: described(whole, 'Unix time in seconds.'),
      model: text,
      choices: listOf(
        open({
          type: 'object',
          required: ['index', 'message'],
          properties: {
            index: count,
            message: open({
              type: 'object',
              properties: {
                role: text,
                content: orNull(text),
                tool_calls: { type: ['array', 'null'], items: anyObject },
              },
            }),
            finish_reason: described(
              orNull(text),
              '`stop`, `length`, `tool_calls` or `content_filter`.',
            ),
          },
        }),
      ),
      usage: {
        type: ['object', 'null'],
        additionalProperties: true,
        properties: { prompt_tokens: count, completion_tokens: count, total_tokens: count },
      },
    },
    { optional: ['usage'] },
  ),
);

const response = open(
  schemaOf<
    Record<'id' | 'object' | 'created_at' | 'status' | 'model' | 'output' | 'usage', unknown>
  >({
    id: text,
    object: constant('response'),
    created_at: described(whole, 'Unix time in seconds.'),
    status: described(text, '`completed` or `incomplete`; `incomplete_details` says why.'),
    model: text,
    output: listOf(
      open({
        type: 'object',
        required: ['id', 'type'],
        properties: {
          id: text,
          type: described(text, '`message`, `reasoning`, `function_call` or `custom_tool_call`.'),
          status: text,
        },
      }),
    ),
    usage: {
      type: ['object', 'null'],
      additionalProperties: true,
      properties: { input_tokens: count, output_tokens: count, total_tokens: count },
    },
  }),
);

const embeddings = open(
  schemaOf<Record<'object' | 'data' | 'model' | 'usage', unknown>>(
    {
      object: constant('list'),
      data: listOf(
        open({
          type: 'object',
          required: ['index', 'embedding'],
          properties: {
            index: count,
            embedding: {
              type: ['array', 'string'],
              items: { type: 'number' },
              description:
                'Numbers, or base64 of 32-bit floats where `encoding_format` asks for it.',
            },
          },
        }),
      ),
      model: text,
      usage: open({
        type: 'object',
        properties: { prompt_tokens: count, total_tokens: count },
      }),
    },
    { optional: ['usage'] },
  ),
);

/**
 * Text: the components of the document. Errors of upstreams of the client's own dialect
 * are passed on in their own words.
 */
export const textResponseSchemas: Readonly<Record<string, Schema>> = {
  ...streamSchemas,
  Message: message,
  ChatCompletion: completion,
  ResponseObject: response,
  Embeddings: embeddings,
  TokenCount: open({
    type: 'object',
    required: ['input_tokens'],
    properties: { input_tokens: count },
  }),
  MessagesError: open({
    type: 'object',
    required: ['type', 'error'],
    properties: {
      type: constant('error'),
      error: open({
        type: 'object',
        required: ['type', 'message'],
        properties: { type: text, message: text },
      }),
      request_id: text,
    },
  }),
  UpstreamRefusal: open({
    type: 'object',
    required: ['error'],
    description: 'What an upstream of the same dialect said, as it said it.',
    properties: { error: { type: ['object', 'string'] } },
  }),
  ChatError: open({
    type: 'object',
    required: ['error'],
    properties: {
      error: open({
        type: 'object',
        required: ['message'],
        properties: {
          message: text,
          type: orNull(text),
          param: orNull(text),
          code: { type: ['string', 'integer', 'null'] },
          details: listOf(anyObject),
        },
      }),
    },
  }),
};
