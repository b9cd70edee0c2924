import { textRequestSchemas } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/domain';
import { ref } from '../../http/resource-schemas.ts';
import { respondsWith, pageParameters, type Operation, type Parameter } from '../operation.ts';

const version: Parameter = {
  name: 'anthropic-version',
  required: true,
  schema: {
    type: 'string',
    pattern: '^(2023-(0[6-9]|1[0-2])|20(2[4-9]|[3-9]\\d)-(0[1-9]|1[0-2]))-(0[1-9]|[12]\\d|3[01])$',
  },
  description: 'Version of the messages format: 2023-06-01 or a later date.',
  example: '2023-06-01',
};
const beta: Parameter = {
  name: 'anthropic-beta',
  schema: { type: 'string' },
  description: 'Forwarded to upstreams that speak the messages dialect.',
};

const errors: readonly ErrorCode[] = [
  'account_suspended',
  'invalid_json',
  'invalid_parameter',
  'unknown_parameter',
  'missing_parameter',
  'context_length_exceeded',
  'insufficient_quota',
  'model_not_allowed',
  'model_not_found',
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
];
const about =
  'The upstream of the model may speak messages or chat completions. Its refusals are returned in this one; when a stream fails in the middle, the error is its last event.';
const limits = ['RateLimitLimitRequests', 'RateLimitRemainingRequests', 'RateLimitResetRequests'];
const messagesLimits = [
  'AnthropicRateLimitLimit',
  'AnthropicRateLimitRemaining',
  'AnthropicRateLimitReset',
];
const routed = ['GatewayAttempts', 'UpstreamRequestId'];
const hello = [{ role: 'user', content: 'Say hello.' }];

export const textSchemas = {
  MessagesRequest: textRequestSchemas.messages,
  CountTokensRequest: textRequestSchemas.countTokens,
  ChatCompletionRequest: textRequestSchemas.chat,
  ResponseRequest: textRequestSchemas.responses,
  EmbeddingsRequest: textRequestSchemas.embeddings,
} as const;

const modelOperations = (path: string, suffix: string): readonly Operation[] => [
  {
    id: `listModels${suffix}`,
    method: 'get',
    path,
    tag: 'Models',
    access: 'any key',
    summary: 'List the models that the key may use',
    query: [
      ...pageParameters({ type: 'string' }, 1_000).filter(({ name }) => name !== 'before'),
      {
        name: 'after_id',
        schema: { type: 'string' },
        description: 'The same as `after`, under its name in the messages dialect.',
      },
      {
        name: 'before_id',
        schema: { type: 'string' },
        description: 'Only models before this one.',
      },
    ],
    responses: respondsWith(
      'ModelList',
      'Text and video models, in one shape that clients of all dialects read.',
    ),
    errors: ['invalid_parameter'],
  },
  {
    id: `getModel${suffix}`,
    method: 'get',
    path: `${path}/{model}`,
    tag: 'Models',
    access: 'any key',
    summary: 'Read a model',
    description: 'The name of a model may contain slashes and colons, literal or percent-encoded.',
    responses: respondsWith('Model', 'The model.'),
    errors: ['model_not_found'],
  },
];

export const textOperations: readonly Operation[] = [
  {
    id: 'createMessage',
    method: 'post',
    path: '/v1/messages',
    tag: 'Text',
    access: 'text',
    dialect: 'messages',
    summary: 'Generate text, in the messages dialect',
    description: about,
    headers: [version, beta],
    errors,
    body: {
      content: {
        'application/json': {
          schema: ref('MessagesRequest'),
          examples: {
            whole: {
              summary: 'A whole completion',
              value: { model: 'sandbox-chat', max_tokens: 60, messages: hello },
            },
            stream: {
              summary: 'A stream',
              value: {
                model: 'sandbox-messages',
                max_tokens: 60,
                stream: true,
                system: 'You are brief.',
                messages: hello,
              },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description:
          'The message, or its stream: the schema is of the `data` of each event, whose `event` is the `type`.',
        content: {
          'application/json': ref('Message'),
          'text/event-stream': ref('MessageStreamEvent'),
        },
        headers: [...messagesLimits, ...routed],
      },
    },
  },
  {
    id: 'countTokens',
    method: 'post',
    path: '/v1/messages/count_tokens',
    tag: 'Text',
    access: 'text',
    dialect: 'messages',
    summary: 'Count the tokens of a prompt',
    headers: [version, beta],
    errors,
    description:
      'The upstream counts where it can. Otherwise the count is an estimate, and `x-gateway-estimated` says so.',
    body: {
      content: {
        'application/json': {
          schema: ref('CountTokensRequest'),
          examples: {
            prompt: { summary: 'A prompt', value: { model: 'sandbox-chat', messages: hello } },
          },
        },
      },
    },
    responses: respondsWith('TokenCount', 'The count.', [...messagesLimits, 'Estimated']),
  },
  {
    id: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tag: 'Text',
    access: 'text',
    dialect: 'chat',
    summary: 'Generate text, in the chat-completions dialect',
    description: about,
    errors,
    body: {
      content: {
        'application/json': {
          schema: ref('ChatCompletionRequest'),
          examples: {
            whole: {
              summary: 'A whole completion',
              value: { model: 'sandbox-messages', messages: hello },
            },
            stream: {
              summary: 'A stream, with its usage',
              value: {
                model: 'sandbox-chat',
                stream: true,
                stream_options: { include_usage: true },
                messages: hello,
              },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description:
          'The completion, or its stream: the schema is of the `data` of each event but the last, which is `[DONE]`.',
        content: {
          'application/json': ref('ChatCompletion'),
          'text/event-stream': ref('ChatCompletionChunk'),
        },
        headers: [...limits, ...routed],
      },
    },
  },
  {
    id: 'createResponse',
    method: 'post',
    path: '/v1/responses',
    tag: 'Text',
    access: 'text',
    dialect: 'responses',
    summary: 'Generate text, in the responses dialect',
    description: `${about} \`conversation\` and \`background\` are refused; see docs/text.md for all fields.`,
    errors: [...errors, 'unsupported_parameter', 'previous_response_not_found', 'item_not_found'],
    body: {
      content: {
        'application/json': {
          schema: ref('ResponseRequest'),
          examples: {
            whole: {
              summary: 'A whole response',
              value: { model: 'sandbox-messages', input: 'Say hello.' },
            },
            stream: {
              summary: 'A stream of typed events',
              value: {
                model: 'sandbox-chat',
                stream: true,
                instructions: 'You are brief.',
                input: hello,
              },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description:
          'The response, or its stream: the schema is of the `data` of each event, whose `event` is the `type`.',
        content: {
          'application/json': ref('ResponseObject'),
          'text/event-stream': ref('ResponseStreamEvent'),
        },
        headers: [...limits, ...routed],
      },
    },
  },
  {
    id: 'createEmbeddings',
    method: 'post',
    path: '/v1/embeddings',
    tag: 'Text',
    access: 'text',
    dialect: 'chat',
    summary: 'Turn texts into vectors',
    description:
      'Passed on to an upstream of the model that speaks the chat-completions dialect. Charged by the tokens of the input.',
    errors,
    body: {
      content: {
        'application/json': {
          schema: ref('EmbeddingsRequest'),
          examples: {
            texts: {
              summary: 'Two texts',
              value: { model: 'sandbox-embedding', input: ['a red balloon', 'the sea'] },
            },
            short: {
              summary: 'Short vectors, as base64',
              value: {
                model: 'sandbox-embedding',
                input: 'a red balloon',
                dimensions: 8,
                encoding_format: 'base64',
              },
            },
          },
        },
      },
    },
    responses: respondsWith('Embeddings', 'A vector for each input, in its order.', [
      ...limits,
      ...routed,
    ]),
  },
  ...modelOperations('/v1/models', ''),
  ...modelOperations('/models', 'WithoutVersion'),
];
