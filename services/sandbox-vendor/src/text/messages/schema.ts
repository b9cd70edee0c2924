const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const nullable = (schema: { readonly type: string }): object => ({
  ...schema,
  type: [schema.type, 'null'],
});

const cacheControl = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['type'],
  properties: { type: { const: 'ephemeral' }, ttl: { enum: ['5m', '1h'] } },
};

/** One kind of block: its fields, all of which are required unless they are listed as optional. */
const block = (
  type: string,
  required: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', ...Object.keys(required)],
  properties: { type: { const: type }, ...required, ...optional },
});
const cached = { cache_control: cacheControl };

/** Blocks that are taken as they are. */
const openBlocks = [
  'redacted_thinking',
  'search_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'container_upload',
  'mcp_tool_use',
  'mcp_tool_result',
  'tool_reference',
];

const base64 = (...mediaTypes: readonly string[]): object =>
  block('base64', { media_type: { enum: mediaTypes }, data: { type: 'string', minLength: 1 } });
const linked = [
  block('url', { url: { type: 'string', pattern: '^https?://' } }),
  block('file', { file_id: text }),
];
const source = (...kinds: readonly object[]): object => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: kinds,
});

const blockSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    block('text', { text }, { ...cached, citations: { type: ['array', 'null'] } }),
    block(
      'image',
      { source: source(base64('image/jpeg', 'image/png', 'image/gif', 'image/webp'), ...linked) },
      { ...cached, transformations: { type: 'object' } },
    ),
    block(
      'document',
      {
        source: source(
          base64('application/pdf'),
          block('text', { media_type: { const: 'text/plain' }, data: text }),
          block('content', { content: { $ref: '#/$defs/content' } }),
          ...linked,
        ),
      },
      {
        ...cached,
        title: nullable(text),
        context: nullable(text),
        citations: { type: ['object', 'null'] },
      },
    ),
    block(
      'tool_use',
      {
        id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
        name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' },
        input: { type: 'object' },
      },
      { ...cached, caller: {}, toolset_name: {} },
    ),
    block(
      'tool_result',
      { tool_use_id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' } },
      { ...cached, content: { $ref: '#/$defs/content' }, is_error: flag },
    ),
    block('thinking', { thinking: text, signature: text }),
    ...openBlocks.map((type) => ({
      required: ['type'],
      properties: { type: { const: type }, ...cached },
    })),
  ],
};

const tool = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' }, ...cached },
  // a tool that runs at the vendor, or that the vendor has defined, has a dated type and fields of
  // its own
  if: { required: ['type'], properties: { type: { type: 'string', not: { const: 'custom' } } } },
  then: { properties: { type: { pattern: '^([a-z_0-9]+_\\d{8}|mcp_toolset)$' } } },
  else: {
    additionalProperties: false,
    required: ['input_schema'],
    properties: {
      type: nullable(text),
      name: {},
      cache_control: {},
      description: text,
      strict: { type: ['boolean', 'null'] },
      defer_loading: flag,
      allowed_callers: { type: 'array' },
      eager_input_streaming: { type: ['boolean', 'null'] },
      input_examples: { type: 'array' },
      input_schema: {
        type: 'object',
        required: ['type'],
        properties: { type: { const: 'object' } },
      },
    },
  },
};

const display = { enum: ['summarized', 'omitted', null] };
const jsonFormat = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['type', 'schema'],
  properties: { type: { const: 'json_schema' }, schema: { type: 'object' } },
};

/** Fields of the count_tokens route; the messages route has them, too. */
const countFields = {
  model: { type: 'string', minLength: 1 },
  messages: {
    type: 'array',
    minItems: 1,
    maxItems: 100_000,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['role', 'content'],
      properties: {
        role: { enum: ['user', 'assistant', 'system'] },
        content: { $ref: '#/$defs/content' },
      },
    },
  },
  system: {
    type: ['string', 'array'],
    items: block('text', { text }, { ...cached, citations: { type: ['array', 'null'] } }),
  },
  tools: { type: 'array', items: tool },
  tool_choice: {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [
      block('auto', {}, { disable_parallel_tool_use: flag }),
      block('any', {}, { disable_parallel_tool_use: flag }),
      block('tool', { name: text }, { disable_parallel_tool_use: flag }),
      block('none', {}),
    ],
  },
  thinking: {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [
      block('enabled', { budget_tokens: { type: 'integer', minimum: 1_024 } }, { display }),
      block('adaptive', {}, { display }),
      block('disabled', {}),
      block('between_tools', {}, { display }),
    ],
  },
  output_config: {
    type: 'object',
    additionalProperties: false,
    properties: {
      effort: { enum: ['low', 'medium', 'high', 'xhigh', 'max', null] },
      format: jsonFormat,
      task_budget: { type: ['object', 'null'] },
    },
  },
  cache_control: cacheControl,
  // the next ones need a beta header, which is checked elsewhere
  output_format: jsonFormat,
  context_management: { type: ['object', 'null'] },
  mcp_servers: { type: 'array' },
};

const messagesFields = {
  ...countFields,
  max_tokens: { type: 'integer', minimum: 0 },
  stop_sequences: { type: 'array', items: text },
  stream: flag,
  temperature: { type: 'number', minimum: 0, maximum: 1 },
  top_p: { type: 'number', minimum: 0, maximum: 1 },
  top_k: { type: 'integer', minimum: 0 },
  metadata: {
    type: 'object',
    additionalProperties: false,
    properties: { user_id: { type: ['string', 'null'], maxLength: 256 } },
  },
  service_tier: { enum: ['auto', 'standard_only'] },
  speed: { enum: ['standard', 'fast', null] },
  container: { type: ['string', 'object', 'null'] },
  inference_geo: nullable(text),
  diagnostics: { type: ['object', 'null'] },
};

const body = (
  fields: Readonly<Record<string, object>>,
  ...required: readonly string[]
): object => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties: fields,
  $defs: { content: { type: ['string', 'array'], items: blockSchema } },
});

/** Every documented field of each route; anything else is refused. */
export const schemas = {
  create: body(messagesFields, 'model', 'max_tokens', 'messages'),
  count: body(countFields, 'model', 'messages'),
} as const;
