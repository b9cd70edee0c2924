import type { Json } from './responses-grammar.ts';

/** What an upstream of the responses format sends, in the order in which it does. */

const sealed = 'sealed';

/** The items of the output, with what carries their thoughts or without. */
export const responseItems = (withSealed: boolean): readonly Json[] => [
  {
    id: 'rs_1',
    type: 'reasoning',
    ...(withSealed && { encrypted_content: sealed }),
    summary: [{ type: 'summary_text', text: 'Let me think.' }],
  },
  {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Hello there.' }],
    role: 'assistant',
  },
];

let made = 0;

/** The Response object of a request. */
export function responseOf(request: Json, status = 'completed'): Json {
  const isOver = status === 'completed';
  return {
    id: 'resp_0a1',
    object: 'response',
    created_at: 1_760_000_000,
    status,
    background: false,
    access_programs: null,
    completed_at: isOver ? 1_760_000_009 : null,
    error: null,
    incomplete_details: null,
    instructions: 'Grüße "response":',
    max_output_tokens: null,
    max_tool_calls: null,
    model: request['model'] === undefined ? 'up-p' : request['model'],
    output: isOver ? responseItems(true) : [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: request['store'] ?? true,
    temperature: 1.0,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1.0,
    truncation: 'disabled',
    usage: isOver
      ? {
          input_tokens: 16,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 23,
        }
      : null,
    user: null,
    metadata: {},
  };
}

/** The events of a stream, one text each. */
export function responsesEvents(request: Json): string[] {
  made = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: made++, ...fields })}\n\n`;
  const [thought, message] = responseItems(true) as [Json, Json];
  const begun = { response: responseOf(request, 'in_progress') };
  const inThought = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
  const inMessage = { item_id: 'msg_1', output_index: 1, content_index: 0 };
  const part = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });
  return [
    event('response.created', begun),
    event('response.in_progress', begun),
    event('response.output_item.added', {
      output_index: 0,
      item: { ...thought, status: 'in_progress', encrypted_content: 'early', summary: [] },
    }),
    event('response.reasoning_summary_part.added', {
      ...inThought,
      part: { type: 'summary_text', text: '' },
    }),
    event('response.reasoning_summary_text.delta', { ...inThought, delta: 'Let me ' }),
    event('response.reasoning_summary_text.delta', { ...inThought, delta: 'think.' }),
    event('response.reasoning_summary_text.done', { ...inThought, text: 'Let me think.' }),
    event('response.reasoning_summary_part.done', {
      ...inThought,
      part: { type: 'summary_text', text: 'Let me think.' },
    }),
    event('response.output_item.done', { output_index: 0, item: thought }),
    event('response.output_item.added', {
      output_index: 1,
      item: { ...message, status: 'in_progress', content: [] },
    }),
    event('response.content_part.added', { ...inMessage, part: part('') }),
    event('response.output_text.delta', { ...inMessage, logprobs: [], delta: 'Hello' }),
    event('response.output_text.delta', { ...inMessage, logprobs: [], delta: ' there.' }),
    event('response.output_text.done', { ...inMessage, logprobs: [], text: 'Hello there.' }),
    event('response.content_part.done', { ...inMessage, part: part('Hello there.') }),
    event('response.output_item.done', { output_index: 1, item: message }),
    event('response.completed', { response: responseOf(request) }),
  ];
}
