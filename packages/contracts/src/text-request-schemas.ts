import { orNull, shown, type Schema } from './schema-of.ts';
import { chatContent, chatTool, chatToolCall, chatToolChoice } from './text-shapes/chat.ts';
import {
  messagesContent,
  messagesSystem,
  messagesTool,
  messagesToolChoice,
} from './text-shapes/messages.ts';
import {
  responseInput,
  responseReasoning,
  responseText,
  responseTool,
  responseToolChoice,
} from './text-shapes/responses.ts';

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
const toolList = (tool: object) =>
  ({
    type: ['array', 'null'],
    items: shown({ type: 'object', 'x-must-be': 'an object' }, tool),
    'x-must-be': 'an array of tool definitions',
  }) as const;

const conversation = (
  roles: readonly string[],
  properties: Readonly<Record<string, object>>,
  name: string,
) => ({
  type: 'array',
  minItems: 1,
  'x-must-be': 'an array of at least one message',
  items: {
    type: 'object',
    required: ['role'],
    'x-must-be': 'an object with role and content',
    properties: {
      role: { type: 'string', enum: roles, 'x-must-be': `one of ${roles.join(', ')}` },
      ...properties,
    },
    'x-name': name,
  },
});

/** `null` passes where a client's library writes it for "not set". */
function messagesSchema(required: readonly string[]): object {
  const content = shown(textOrBlocks, messagesContent);
  const messages = conversation(['user', 'assistant', 'system'], { content }, 'MessagesTurn');
  return {
    type: 'object',
    required,
    'x-must-be': 'a JSON object',
    properties: {
      model,
      max_tokens: atLeastOne,
      messages: { ...messages, items: { ...messages.items, required: ['role', 'content'] } },
      system: shown(
        { type: ['string', 'array', 'null'], 'x-must-be': 'a string or an array of text blocks' },
        messagesSystem,
      ),
      stream: { type: ['boolean', 'null'], 'x-must-be': 'true or false' },
      temperature: range(0, 2, true),
      top_p: range(0, 1, true),
      top_k: { type: ['integer', 'null'], 'x-must-be': 'an integer' },
      stop_sequences: {
        type: ['array', 'null'],
        items: { type: 'string', 'x-must-be': 'a string' },
        'x-must-be': 'an array of strings',
      },
      tools: toolList(messagesTool),
      tool_choice: shown(
        { type: ['object', 'null'], 'x-must-be': 'an object such as {"type":"auto"}' },
        orNull(messagesToolChoice),
      ),
    },
  };
}

const anyToolChoice = (choice: Schema) =>
  shown(
    {
      type: ['string', 'object', 'null'],
      'x-must-be': 'a string such as "auto", or an object that names a tool',
    },
    orNull(choice),
  );

const chatSchema: object = {
  type: 'object',
  required: ['model', 'messages'],
  'x-must-be': 'a JSON object',
  properties: {
    model,
    messages: conversation(
      ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
      {
        content: shown(
          {
            type: ['string', 'array', 'null'],
            'x-must-be': 'a string or an array of content parts',
          },
          chatContent,
        ),
        name: shown({}, { type: 'string', description: 'Of who speaks.' }),
        tool_calls: shown(
          {},
          { type: ['array', 'null'], items: chatToolCall, description: 'Of an assistant.' },
        ),
        tool_call_id: shown(
          {},
          { type: 'string', description: 'The call that a message of the role `tool` answers.' },
        ),
      },
      'ChatTurn',
    ),
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
    tools: toolList(chatTool),
    tool_choice: anyToolChoice(chatToolChoice),
  },
};

const text = { type: ['string', 'null'], 'x-must-be': 'a string' } as const;
const yesOrNo = { type: ['boolean', 'null'], 'x-must-be': 'true or false' } as const;

const responsesSchema: object = {
  type: 'object',
  required: ['model', 'input'],
  'x-must-be': 'a JSON object',
  properties: {
    model,
    input: shown(
      {
        type: ['string', 'array'],
        minItems: 1,
        'x-must-be': 'a string or an array of at least one item',
        items: { type: 'object', 'x-must-be': 'an object such as a message' },
      },
      responseInput,
    ),
    instructions: text,
    previous_response_id: text,
    store: yesOrNo,
    stream: yesOrNo,
    stream_options: {
      type: ['object', 'null'],
      'x-must-be': 'an object such as {"include_obfuscation":false}',
    },
    include: {
      type: ['array', 'null'],
      items: { type: 'string', 'x-must-be': 'a string' },
      'x-must-be': 'an array such as ["reasoning.encrypted_content"]',
    },
    max_output_tokens: maybeAtLeastOne,
    temperature: range(0, 2, true),
    top_p: range(0, 1, true),
    reasoning: shown(
      { type: ['object', 'null'], 'x-must-be': 'an object such as {"effort":"low"}' },
      orNull(responseReasoning),
    ),
    text: shown(
      { type: ['object', 'null'], 'x-must-be': 'an object such as {"format":{"type":"text"}}' },
      orNull(responseText),
    ),
    tools: toolList(responseTool),
    tool_choice: anyToolChoice(responseToolChoice),
    parallel_tool_calls: yesOrNo,
    truncation: {
      type: ['string', 'null'],
      enum: ['auto', 'disabled', null],
      'x-must-be': '"auto" or "disabled"',
    },
    metadata: {
      type: ['object', 'null'],
      maxProperties: 16,
      additionalProperties: {
        type: 'string',
        maxLength: 512,
        'x-must-be': 'a string of at most 512 characters',
      },
      'x-must-be': 'an object of at most 16 strings',
    },
    user: text,
    safety_identifier: text,
    prompt_cache_key: text,
    service_tier: text,
  },
};

const embeddingsSchema: object = {
  type: 'object',
  required: ['model', 'input'],
  'x-must-be': 'a JSON object',
  properties: {
    model: { ...model, 'x-must-be': 'the id of a text model that makes embeddings' },
    input: {
      type: ['string', 'array'],
      minItems: 1,
      'x-must-be': 'a string, an array of strings, or an array of tokens',
      items: {
        type: ['string', 'integer', 'array'],
        'x-must-be': 'a string, a token, or an array of tokens',
        items: { type: 'integer', 'x-must-be': 'a token' },
      },
    },
    dimensions: maybeAtLeastOne,
    encoding_format: { type: ['string', 'null'], 'x-must-be': '"float" or "base64"' },
    user: { type: ['string', 'null'], 'x-must-be': 'a string' },
  },
};

/** The schemas that check the bodies of the text routes, for the API reference too. */
export const textRequestSchemas = {
  messages: messagesSchema(['model', 'max_tokens', 'messages']),
  countTokens: messagesSchema(['model', 'messages']),
  chat: chatSchema,
  responses: responsesSchema,
  embeddings: embeddingsSchema,
} as const;
