export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const orNull = (type: string, more: object = {}): object => ({
  type: [type, 'null'],
  ...more,
});

/** An object with these fields and no others. */
export const object = (
  required: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): object => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
/** One of several kinds of object, told apart by a field. */
export const oneOf = (field: string, kinds: readonly object[]): object => ({
  type: 'object',
  required: [field],
  discriminator: { propertyName: field },
  oneOf: kinds,
});

const parts = {
  text: object({ type: { const: 'text' }, text }, { prompt_cache_breakpoint: {} }),
  refusal: object({ type: { const: 'refusal' }, refusal: text }),
  image: object(
    {
      type: { const: 'image_url' },
      image_url: object({ url: text }, { detail: { enum: ['auto', 'low', 'high', 'original'] } }),
    },
    { prompt_cache_breakpoint: {} },
  ),
  audio: object({
    type: { const: 'input_audio' },
    input_audio: object({ data: text, format: { enum: ['wav', 'mp3'] } }),
  }),
  file: object(
    {
      type: { const: 'file' },
      file: object({}, { file_data: text, file_id: text, filename: text }),
    },
    { prompt_cache_breakpoint: {} },
  ),
};
const content = (...kinds: readonly (keyof typeof parts)[]): object => ({
  type: ['string', 'array'],
  minItems: 1,
  items: oneOf(
    'type',
    kinds.map((kind) => parts[kind]),
  ),
});

export const functionName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' };
const toolCall = object(
  {
    id: { type: 'string', minLength: 1, maxLength: 40 },
    type: { const: 'function' },
    function: object({ name: functionName, arguments: text }),
  },
  { index: {} },
);

const message = oneOf('role', [
  object({ role: { const: 'system' }, content: content('text') }, { name: text }),
  object({ role: { const: 'developer' }, content: content('text') }, { name: text }),
  object(
    { role: { const: 'user' }, content: content('text', 'image', 'audio', 'file') },
    { name: text },
  ),
  object(
    { role: { const: 'assistant' } },
    {
      content: { ...content('text', 'refusal'), type: ['string', 'array', 'null'] },
      name: text,
      refusal: orNull('string'),
      annotations: orNull('array'),
      audio: orNull('object'),
      tool_calls: { type: 'array', minItems: 1, maxItems: 128, items: toolCall },
      function_call: orNull('object', {
        required: ['name', 'arguments'],
        properties: { name: functionName, arguments: text },
      }),
      // what this vendor itself calls its thinking comes back with the history
      reasoning_content: orNull('string'),
    },
  ),
  object({
    role: { const: 'tool' },
    content: content('text'),
    tool_call_id: { type: 'string', minLength: 1, maxLength: 40 },
  }),
  object({ role: { const: 'function' }, content: orNull('string'), name: functionName }),
]);

const functionDefinition = object(
  { name: functionName },
  { description: text, parameters: { type: 'object' }, strict: orNull('boolean') },
);
const penalty = orNull('number', { minimum: -2, maximum: 2 });

/** Every documented field of the route; anything else is refused. */
export const chatSchema = object(
  {
    model: { type: 'string', minLength: 1 },
    messages: { type: 'array', minItems: 1, items: message },
  },
  {
    max_tokens: orNull('integer', { minimum: 1 }),
    max_completion_tokens: orNull('integer', { minimum: 1 }),
    temperature: orNull('number', { minimum: 0, maximum: 2 }),
    top_p: orNull('number', { minimum: 0, maximum: 1 }),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    logit_bias: orNull('object'),
    logprobs: orNull('boolean'),
    top_logprobs: orNull('integer', { minimum: 0, maximum: 20 }),
    n: orNull('integer', { minimum: 1, maximum: 8 }),
    seed: orNull('integer'),
    stop: { type: ['string', 'array', 'null'], minItems: 1, maxItems: 4, items: text },
    stream: orNull('boolean'),
    stream_options: orNull('object', {
      additionalProperties: false,
      properties: { include_usage: flag, include_obfuscation: flag },
    }),
    tools: {
      type: 'array',
      minItems: 1,
      maxItems: 128,
      items: object({ type: { const: 'function' }, function: functionDefinition }),
    },
    tool_choice: { type: ['string', 'object'] }, // its values are checked elsewhere
    parallel_tool_calls: flag,
    functions: { type: 'array', minItems: 1, maxItems: 128, items: functionDefinition },
    function_call: { type: ['string', 'object'], required: ['name'] },
    response_format: oneOf('type', [
      object({ type: { const: 'text' } }),
      object({ type: { const: 'json_object' } }),
      object({
        type: { const: 'json_schema' },
        json_schema: object(
          { name: functionName },
          { description: text, schema: { type: 'object' }, strict: orNull('boolean') },
        ),
      }),
    ]),
    reasoning_effort: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null] },
    verbosity: { enum: ['low', 'medium', 'high', null] },
    user: { type: 'string', maxLength: 64 },
    safety_identifier: { type: 'string', maxLength: 128 },
    prompt_cache_key: { type: 'string', maxLength: 64 },
    prompt_cache_options: { type: 'object' },
    prompt_cache_retention: { enum: ['in_memory', '24h', null] },
    service_tier: { enum: ['auto', 'default', 'flex', 'scale', 'priority', 'fast', null] },
    store: orNull('boolean'),
    metadata: orNull('object', {
      maxProperties: 16,
      additionalProperties: { type: 'string', maxLength: 512 },
    }),
    modalities: orNull('array'),
    audio: orNull('object'),
    prediction: orNull('object'),
    web_search_options: { type: 'object' },
    moderation: {},
  },
);
