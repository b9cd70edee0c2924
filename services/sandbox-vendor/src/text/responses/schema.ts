import { flag, functionName, object, oneOf, orNull, text } from '../chat/schema.ts';

const list = { type: 'array' } as const;
const status = { enum: ['in_progress', 'completed', 'incomplete'] } as const;
const idOf = (prefix: string): object => ({ type: 'string', pattern: `^${prefix}` });
const callId = { type: 'string', minLength: 1, maxLength: 64 };

const part = oneOf('type', [
  object({ type: { const: 'input_text' }, text }),
  object({ type: { const: 'output_text' }, text }, { annotations: list, logprobs: list }),
  object({ type: { const: 'refusal' }, refusal: text }),
  object(
    { type: { const: 'input_image' } },
    { image_url: orNull('string'), file_id: orNull('string'), detail: text },
  ),
  object(
    { type: { const: 'input_file' } },
    {
      file_data: orNull('string'),
      file_url: orNull('string'),
      file_id: orNull('string'),
      filename: text,
      detail: text,
    },
  ),
]);
const content = { type: ['string', 'array'], items: part };

const message = object(
  { role: { enum: ['user', 'assistant', 'system', 'developer'] }, content },
  { type: { const: 'message' }, id: idOf('msg'), status, phase: {} },
);
const typedItem = oneOf('type', [
  object(
    { type: { const: 'reasoning' }, summary: list },
    { id: idOf('rs'), encrypted_content: orNull('string'), content: orNull('array'), status },
  ),
  object(
    {
      type: { const: 'function_call' },
      call_id: callId,
      name: functionName,
      arguments: text,
    },
    { id: idOf('fc'), status, namespace: functionName },
  ),
  object(
    { type: { const: 'function_call_output' }, call_id: callId, output: content },
    { id: idOf('fc'), status },
  ),
  object(
    { type: { const: 'custom_tool_call' }, call_id: callId, name: functionName, input: text },
    { id: idOf('ctc'), status, namespace: functionName },
  ),
  object(
    { type: { const: 'custom_tool_call_output' }, call_id: callId, output: content },
    { id: idOf('ctc'), status },
  ),
  object({ type: { const: 'item_reference' }, id: text }),
]);

const format = oneOf('type', [
  object({ type: { const: 'text' } }),
  object({ type: { const: 'json_object' } }),
  object(
    { type: { const: 'json_schema' }, name: functionName, schema: { type: 'object' } },
    { description: text, strict: orNull('boolean') },
  ),
]);

const ownTools = [
  object(
    { type: { const: 'function' }, name: functionName },
    {
      description: orNull('string'),
      parameters: orNull('object'),
      strict: orNull('boolean'),
    },
  ),
  object({ type: { const: 'custom' }, name: functionName }, { description: text, format: {} }),
];
const namespace = object(
  {
    type: { const: 'namespace' },
    name: functionName,
    description: text,
    tools: { type: 'array', items: oneOf('type', ownTools) },
  },
  {},
);

/** The body of a request as the vendor documents it: what it does not name is refused. */
export const responsesSchema = object(
  {
    model: text,
    input: {
      type: ['string', 'array'],
      items: {
        type: 'object',
        if: { required: ['role'] },
        then: message,
        else: typedItem,
      },
    },
  },
  {
    background: orNull('boolean'),
    client_metadata: orNull('object', { additionalProperties: text }),
    include: { type: ['array', 'null'], items: text },
    instructions: orNull('string'),
    max_output_tokens: orNull('integer', { minimum: 16 }),
    max_tool_calls: orNull('integer'),
    metadata: orNull('object', {
      maxProperties: 16,
      additionalProperties: { type: 'string', maxLength: 512 },
    }),
    parallel_tool_calls: orNull('boolean'),
    previous_response_id: orNull('string'),
    prompt_cache_key: orNull('string'),
    prompt_cache_retention: { enum: ['in_memory', '24h', null] },
    reasoning: orNull('object', {
      additionalProperties: false,
      properties: {
        effort: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null] },
        summary: { enum: ['auto', 'concise', 'detailed', null] },
        generate_summary: { enum: ['auto', 'concise', 'detailed', null] },
      },
    }),
    safety_identifier: orNull('string', { maxLength: 64 }),
    service_tier: { enum: ['auto', 'default', 'flex', 'scale', 'priority', null] },
    store: orNull('boolean'),
    stream: orNull('boolean'),
    stream_options: orNull('object', {
      additionalProperties: false,
      properties: { include_obfuscation: flag },
    }),
    temperature: orNull('number', { minimum: 0, maximum: 2 }),
    text: orNull('object', {
      additionalProperties: false,
      properties: { format, verbosity: { enum: ['low', 'medium', 'high', null] } },
    }),
    tool_choice: { type: ['string', 'object'] }, // its values are checked elsewhere
    tools: {
      type: ['array', 'null'],
      items: oneOf('type', [...ownTools, namespace]),
    },
    top_logprobs: orNull('integer'),
    top_p: orNull('number', { minimum: 0, maximum: 1 }),
    truncation: { enum: ['auto', 'disabled', null] },
    user: orNull('string'),
  },
);
