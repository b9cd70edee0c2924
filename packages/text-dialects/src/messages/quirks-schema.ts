import type { MessagesQuirks } from './quirks.ts';

type SnakeCase<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : '';

const flag = { type: 'boolean' } as const;
const count = { type: 'integer', minimum: 1 } as const;
const oneOf = (...values: string[]): Readonly<Record<string, unknown>> => ({
  type: 'string',
  enum: values,
});

/** JSON Schema (draft-07) of an operator's overrides of a messages upstream's quirks. */
export const messagesQuirksSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    sampling: oneOf('all', 'one', 'none'),
    thinking: oneOf('none', 'budget', 'adaptive', 'both'),
    disabled_thinking: flag,
    efforts: {
      type: 'array',
      items: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
    },
    forced_tool_choice: oneOf('always', 'without_thinking', 'never'),
    structured_output: oneOf('native', 'tool', 'instruction'),
    system_turns: flag,
    prefill: flag,
    unsigned_thinking: flag,
    image_urls: flag,
    strict_tools: flag,
    cache_control: flag,
    parallel_switch: flag,
    metadata: flag,
    service_tier: flag,
    default_max_tokens: count,
    max_output_tokens: { type: 'integer', minimum: 0 },
    tool_name_max: { type: 'integer', minimum: 16 },
    tool_id_max: { type: 'integer', minimum: 16 },
    version: { type: 'string', minLength: 1 },
  } satisfies Record<SnakeCase<keyof MessagesQuirks>, unknown>,
} as const;
