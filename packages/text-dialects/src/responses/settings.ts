import type { Fields } from '../json.ts';
import { readList, readRecord } from '../values.ts';

/**
 * More than this of instructions or tools is not repeated: a stream tells the response three times,
 * and would be larger than its request.
 */
const mostRepeatedBytes = 256 * 1024;

const isShort = (value: unknown): boolean =>
  value === undefined || Buffer.byteLength(JSON.stringify(value)) <= mostRepeatedBytes;

/** Fields that are repeated as they came, and what stands there when they did not. */
const repeated: Fields = {
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: null,
  tool_choice: 'auto',
  top_p: null,
  truncation: 'disabled',
  user: null,
};

/** What a Response object repeats of its request, every field present. */
export function settingsOf(body: Fields): Fields {
  const text = readRecord(body['text']);
  const { effort = null, summary = null } = readRecord(body['reasoning']) ?? {};
  const { instructions = null, tools } = body;
  return {
    ...Object.fromEntries(
      Object.entries(repeated).map(([field, absent]) => [field, body[field] ?? absent]),
    ),
    background: false,
    instructions: isShort(instructions) ? instructions : null,
    reasoning: { effort, summary },
    text: { format: formatOf(text), verbosity: text?.['verbosity'] ?? 'medium' },
    tools: isShort(tools) ? (readList(tools) ?? []) : [],
    top_logprobs: 0,
  };
}

function formatOf(text: Fields | undefined): unknown {
  const format = readRecord(text?.['format']);
  return format === undefined || !isShort(format) ? { type: 'text' } : format;
}
