import { chatQuirksSchema } from '../chat/quirks-schema.ts';

const {
  reasoning_words,
  sampling,
  min_max_tokens,
  tool_name_max,
  structured_output,
  user_field,
  service_tier,
  fast_service_tier,
} = chatQuirksSchema.properties;

/** JSON Schema (draft-07) of an operator's overrides of a responses upstream's quirks. */
export const responsesQuirksSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    encrypted_reasoning: { type: 'boolean' },
    reasoning_words,
    reasoning_summary: { type: 'string', enum: ['auto', 'concise', 'detailed', 'none'] },
    sampling,
    min_max_tokens,
    tool_name_max,
    structured_output,
    user_field,
    service_tier,
    fast_service_tier,
  },
} as const;
