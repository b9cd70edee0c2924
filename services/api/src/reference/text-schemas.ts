import { shapes, type Schema } from '@gateway/contracts';
import type { ModelResource } from '../use-cases/list-models.ts';
import { pageOf, ref } from '../http/resource-schemas.ts';

const { constant, count, described, listOf, moment, oneOf, orNull, schemaOf, text, whole } = shapes;

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

type ModelFields = Record<
  keyof { [Name in keyof ModelResource as string extends Name ? never : Name]: unknown },
  Schema
>;

const model: ModelFields = {
  id: text,
  object: constant('model'),
  created: whole,
  owned_by: text,
  type: constant('model'),
  display_name: text,
  created_at: moment,
  retires_at: described(orNull(moment), 'From then on nobody is served with the model.'),
  kind: oneOf(['text', 'video']),
};

/**
 * Text and models: the components of the document. Errors of upstreams of the client's own dialect
 * are passed on in their own words.
 */
export const textResponseSchemas: Readonly<Record<string, Schema>> = {
  Message: message,
  ChatCompletion: completion,
  ResponseObject: response,
  Embeddings: embeddings,
  TokenCount: open({
    type: 'object',
    required: ['input_tokens'],
    properties: { input_tokens: count },
  }),
  Model: {
    type: 'object',
    required: Object.keys(model),
    properties: {
      ...model,
      max_input_tokens: described(orNull(count), 'Text only.'),
      max_tokens: described(orNull(count), 'Text only.'),
      max_output_tokens: described(orNull(count), 'Text only.'),
      parameters: { ...anyObject, description: 'Video only: what a creation may ask for.' },
      price: {
        type: ['object', 'null'],
        additionalProperties: { type: ['number', 'object', 'null'] },
        description:
          'In quota; null when it is not charged. Of text: for `per` tokens of each kind, `server_tools` for one use of a tool that the vendor runs, `service_tier` factors of the prices of tokens. Of video: `second_quota` for a second, and whatever else is added up: see Billing.',
      },
    },
  },
  ModelList: pageOf(ref('Model')),
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
