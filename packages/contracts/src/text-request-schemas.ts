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

const text = { type: ['string', 'null'], 'x-must-be': 'a string' } as const;
const yesOrNo = { type: ['boolean', 'null'], 'x-must-be': 'true or false' } as const;

const responsesSchema: object = {
  type: 'object',
  required: ['model', 'input'],
  'x-must-be': 'a JSON object',
  properties: {
    model,
    input: {
      type: ['string', 'array'],
      minItems: 1,
      'x-must-be': 'a string or an array of at least one item',
      items: { type: 'object', 'x-must-be': 'an object such as a message' },
    },
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
    reasoning: {
      type: ['object', 'null'],
      'x-must-be': 'an object such as {"effort":"low"}',
    },
    text: {
      type: ['object', 'null'],
      'x-must-be': 'an object such as {"format":{"type":"text"}}',
    },
    tools: objects('tool definitions', true),
    tool_choice: {
      type: ['string', 'object', 'null'],
      'x-must-be': 'a string such as "auto", or an object that names a tool',
    },
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
