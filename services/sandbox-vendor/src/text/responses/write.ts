import type { Completion, Part } from '../model/completion.ts';
import type { PromptTokens } from '../model/prefix-cache.ts';
import type { ThinkingSigner } from '../model/signature.ts';
import { piecesOf, tokensOfText } from '../model/tokens.ts';
import type { StreamStep } from '../stream.ts';
import { toolsOf, type ResponsesBody } from './body.ts';

/** A completion with what stands around it. */
export interface ResponseFrame {
  readonly id: string;
  readonly createdSeconds: number;
  readonly body: ResponsesBody;
  readonly completion: Completion;
  readonly prompt: PromptTokens;
  readonly tellsUsage: boolean;
  readonly signer: ThinkingSigner;
  readonly newToken: () => string;
}

type Fields = Readonly<Record<string, unknown>>;

/** An item of the output, and the part of the completion that it tells. */
interface WrittenItem {
  readonly part: Part;
  readonly item: Fields & { readonly id: string };
}

const usageOf = ({ prompt, completion: { tokens } }: ResponseFrame): Fields => ({
  input_tokens: prompt.total,
  input_tokens_details: { cached_tokens: prompt.read },
  output_tokens: tokens.output,
  output_tokens_details: { reasoning_tokens: tokens.thinking },
  total_tokens: prompt.total + tokens.output,
});

const incompleteReasons: Partial<Record<Completion['finish'], string>> = {
  length: 'max_output_tokens',
  refusal: 'content_filter',
};

/** What is repeated of a request, and what stands there when it says nothing. */
const repeated: Fields = {
  instructions: null,
  max_output_tokens: null,
  parallel_tool_calls: true,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  metadata: {},
};

/** The Response object; what its request said is repeated. */
function responseWith(frame: ResponseFrame, status: string, news: Fields = {}): Fields {
  const { id, createdSeconds, body } = frame;
  const said = body as unknown as Fields;
  return {
    id,
    object: 'response',
    created_at: createdSeconds,
    status,
    access_programs: null,
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    max_tool_calls: null,
    model: body.model,
    output: [],
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    text: { format: body.text?.format ?? { type: 'text' }, verbosity: 'medium' },
    top_logprobs: 0,
    truncation: 'disabled',
    usage: null,
    user: null,
    ...Object.fromEntries(
      Object.entries(repeated).map(([field, absent]) => [field, said[field] ?? absent]),
    ),
    ...news,
  };
}

const itemsOf = (frame: ResponseFrame): readonly WrittenItem[] =>
  frame.completion.parts.map((part) => ({ part, item: itemOf(part, frame) }));

function itemOf(part: Part, frame: ResponseFrame): Fields & { readonly id: string } {
  const token = frame.newToken();
  if (part.kind === 'text') {
    const content = [{ type: 'output_text', annotations: [], logprobs: [], text: part.text }];
    return { id: `msg_${token}`, type: 'message', status: 'completed', content, role: 'assistant' };
  }
  if (part.kind === 'call') return callOf(part, token, frame);
  const { include } = frame.body;
  return {
    id: `rs_${token}`,
    type: 'reasoning',
    status: 'completed',
    ...(include?.includes('reasoning.encrypted_content') === true && {
      encrypted_content: frame.signer.sign(part.text),
    }),
    summary: [{ type: 'summary_text', text: part.text }],
  };
}

function callOf(
  { id, name, argumentsText }: Extract<Part, { kind: 'call' }>,
  token: string,
  { body }: ResponseFrame,
): Fields & { readonly id: string } {
  const called = toolsOf(body).find(({ modelName }) => modelName === name);
  const { namespace, tool } = called ?? { tool: { type: 'function', name } };
  const call = {
    status: 'completed',
    call_id: id,
    name: tool.name,
    ...(namespace !== undefined && { namespace }),
  };
  return tool.type === 'custom'
    ? { id: `ctc_${token}`, type: 'custom_tool_call', ...call, input: inputOf(argumentsText) }
    : { id: `fc_${token}`, type: 'function_call', ...call, arguments: argumentsText };
}

/** What was cut off is no object any more. */
function inputOf(argumentsText: string): string {
  try {
    return (JSON.parse(argumentsText) as { input: string }).input;
  } catch {
    return argumentsText;
  }
}

function ended(frame: ResponseFrame, items: readonly WrittenItem[]): Fields {
  const reason = incompleteReasons[frame.completion.finish];
  return responseWith(frame, reason === undefined ? 'completed' : 'incomplete', {
    completed_at: reason === undefined ? frame.createdSeconds : null,
    incomplete_details: reason === undefined ? null : { reason },
    output: items.map(({ item }) => item),
    ...(frame.tellsUsage && { usage: usageOf(frame) }),
  });
}

/** The whole response, as it is returned without streaming. */
export const writeResponse = (frame: ResponseFrame): object => ended(frame, itemsOf(frame));

/** One event on the wire. */
export const eventText = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** The events of a stream, numbered, in the order in which the vendor sends them. */
export function* writeEvents(frame: ResponseFrame): Generator<StreamStep> {
  let sequence = 0;
  const step = ({ type, fields, tokens = 0 }: Told): StreamStep => ({
    wire: eventText(type, { sequence_number: sequence++, ...fields }),
    tokens,
  });
  const begun = responseWith(frame, 'in_progress');
  for (const type of ['response.created', 'response.in_progress']) {
    yield step({ type, fields: { response: begun } });
  }
  const items = itemsOf(frame);
  for (const [index, written] of items.entries()) {
    for (const told of toldOf(written, index)) yield step(told);
  }
  const response = ended(frame, items);
  yield step({ type: `response.${String(response['status'])}`, fields: { response } });
}

interface Told {
  readonly type: string;
  readonly fields: Fields;
  readonly tokens?: number;
}

const emptied: Readonly<Record<Part['kind'], Fields>> = {
  text: { status: 'in_progress', content: [] },
  call: { status: 'in_progress' },
  thinking: { status: 'in_progress', summary: [] },
};

function* toldOf({ part, item }: WrittenItem, index: number): Generator<Told> {
  const empty = {
    ...item,
    ...emptied[part.kind],
    ...('arguments' in item && { arguments: '' }),
    ...('input' in item && { input: '' }),
  };
  const where = { item_id: item.id, output_index: index };
  yield { type: 'response.output_item.added', fields: { output_index: index, item: empty } };
  if (part.kind === 'call') yield* toldCall(part, item, where);
  else yield* toldText(part, where);
  yield { type: 'response.output_item.done', fields: { output_index: index, item } };
}

/** How a text is told: its events, the part around it, and where it stands. */
const textEvents = {
  text: {
    event: 'response.output_text',
    around: 'response.content_part',
    part: { type: 'output_text', annotations: [], logprobs: [] },
    place: { content_index: 0 },
    more: { logprobs: [] },
  },
  thinking: {
    event: 'response.reasoning_summary_text',
    around: 'response.reasoning_summary_part',
    part: { type: 'summary_text' },
    place: { summary_index: 0 },
    more: {},
  },
} as const;

function* toldText(
  { kind, text }: Exclude<Part, { kind: 'call' }>,
  where: Fields,
): Generator<Told> {
  const { event, around, part, place, more } = textEvents[kind];
  const at = { ...where, ...place };
  yield { type: `${around}.added`, fields: { ...at, part: { ...part, text: '' } } };
  for (const { text: delta, tokens } of piecesOf(text)) {
    yield { type: `${event}.delta`, fields: { ...at, ...more, delta }, tokens };
  }
  yield { type: `${event}.done`, fields: { ...at, ...more, text } };
  yield { type: `${around}.done`, fields: { ...at, part: { ...part, text } } };
}

/** Arguments are sent in pieces so short that no client sees them whole by luck. */
const argumentsPieceLength = 8;

function* toldCall(
  { name }: Extract<Part, { kind: 'call' }>,
  item: Fields,
  where: Fields,
): Generator<Told> {
  const custom = item['type'] === 'custom_tool_call';
  const event = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const text = String(custom ? item['input'] : item['arguments']);
  let named = tokensOfText(name);
  for (const { text: delta, tokens } of piecesOf(text, argumentsPieceLength)) {
    yield { type: `${event}.delta`, fields: { ...where, delta }, tokens: tokens + named };
    named = 0;
  }
  yield {
    type: `${event}.done`,
    fields: { ...where, ...(custom ? { input: text } : { arguments: text }) },
  };
}
