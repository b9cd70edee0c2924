import type { ChatQuirks } from './quirks.ts';

type SnakeCase<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : '';

const flag = { type: 'boolean' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const words = { type: 'string' } as const;
const oneOf = (...values: string[]): Readonly<Record<string, unknown>> => ({
  type: 'string',
  enum: values,
});

/** JSON Schema (draft-07) of an operator's overrides of a chat upstream's quirks. */
export const chatQuirksSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_tokens_field: oneOf('max_tokens', 'max_completion_tokens'),
    min_max_tokens: { type: 'integer', minimum: 1 },
    system_role: oneOf('system', 'developer'),
    mid_system: oneOf('system', 'user'),
    max_stops: count,
    sampling: flag,
    top_k: flag,
    parallel_tool_calls: flag,
    tool_choice: oneOf('all', 'auto_only', 'none'),
    required_word: oneOf('required', 'any'),
    forced_tool_choice_with_thinking: flag,
    tool_strict: flag,
    stream_usage: flag,
    reasoning_style: oneOf('none', 'effort', 'thinking_type', 'qwen', 'openrouter', 'vllm'),
    reasoning_words: {
      type: 'array',
      items: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
    },
    reasoning_default_on: flag,
    always_thinks: flag,
    reasoning_with_tools: flag,
    thinking_needs_stream: flag,
    history_reasoning: oneOf('drop', 'reasoning_content', 'reasoning', 'reasoning_details'),
    history_reasoning_required: flag,
    structured_output: oneOf('json_schema', 'json_object', 'none'),
    user_field: oneOf('user', 'safety_identifier', 'none'),
    service_tier: flag,
    fast_service_tier: words,
    tool_images: flag,
    file_parts: oneOf('none', 'data', 'data_or_url'),
    text_parts: flag,
    calls_only_content: oneOf('null', 'empty', 'absent'),
    merge_same_role: flag,
    tool_name_max: { type: 'integer', minimum: 16 },
    tool_id_rule: oneOf('any', 'max_40', 'alphanumeric_9', 'functions_index'),
    empty_tool_result: words,
    fill_missing_results: flag,
    prefill: oneOf('none', 'prefix', 'partial', 'continue_final_message'),
    cache_control: flag,
    thought_signatures: flag,
    buffer_tool_calls: flag,
    think_tags: flag,
    done_without_finish: flag,
  } satisfies Record<SnakeCase<keyof ChatQuirks>, unknown>,
} as const;
