import { isDeepStrictEqual } from 'node:util';

export type Json = Readonly<Record<string, unknown>>;

/** What a client has after a whole stream of the responses format. */
export interface ReadResponse {
  /** Of the last event. */
  readonly response: Json | undefined;
  /** Items that were told to their end. */
  readonly items: readonly Json[];
  readonly error: Json | undefined;
  readonly types: readonly string[];
}

interface Part {
  readonly type: string;
  text: string;
  readonly annotations: Json[];
  isDone: boolean;
}

interface Reading {
  readonly types: string[];
  readonly items: Json[];
  readonly ids: Set<unknown>;
  id: unknown;
  /** The item that is open, and what was told inside it. */
  open: { readonly item: Json; readonly parts: Part[]; delta: string; done: unknown } | undefined;
  response: Json | undefined;
  error: Json | undefined;
  over: boolean;
}

function must(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Error(`responses grammar: ${rule}`);
}

/** The fields that the official SDK's type of a Response has and that every response tells. */
const responseFields = [
  'access_programs',
  'background',
  'completed_at',
  'created_at',
  'error',
  'id',
  'incomplete_details',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'object',
  'output',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'status',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'usage',
  'user',
];

export function mustBeResponse(response: Json, status: string): void {
  must(
    isDeepStrictEqual(Object.keys(response).sort(), responseFields),
    `a response has all fields and no others: ${Object.keys(response).sort().join()}`,
  );
  must(response['object'] === 'response', 'a response says so');
  must(response['status'] === status, `the status is ${status}: ${String(response['status'])}`);
  must(/^resp_\w+$/.test(String(response['id'])), 'a response has an id');
  must(
    (response['usage'] === null) === !['completed', 'incomplete'].includes(status),
    'usage comes with the end',
  );
  must((response['error'] !== null) === (status === 'failed'), 'an error comes with a failure');
  must(
    (response['incomplete_details'] !== null) === (status === 'incomplete'),
    'incomplete_details come with what is incomplete',
  );
}

type Rule = (reading: Reading, data: Json) => void;

const lifecycle =
  (status: string): Rule =>
  (reading, data) => {
    const response = data['response'] as Json;
    mustBeResponse(response, status);
    must(reading.id === undefined || reading.id === response['id'], 'the id stays');
    reading.id = response['id'];
    reading.response = response;
  };

const end =
  (status: string): Rule =>
  (reading, data) => {
    lifecycle(status)(reading, data);
    const { output } = data['response'] as { output: readonly Json[] };
    if (status !== 'failed') {
      must(reading.open === undefined, 'every item is closed at the end');
      must(isDeepStrictEqual(output, reading.items), 'the output is what was told');
    }
    reading.over = true;
  };

function openItem({ open, items }: Reading, data: Json): NonNullable<Reading['open']> {
  must(open !== undefined, 'it belongs to an open item');
  must(data['item_id'] === open.item['id'], 'it names the open item');
  must(data['output_index'] === items.length, 'it names the place of the open item');
  return open;
}

/** The part that a delta or an end is about: the last one of the open item. */
function openPart(reading: Reading, data: Json, type: string): Part {
  const { parts } = openItem(reading, data);
  const part = parts.at(-1);
  must(part?.type === type && !part.isDone, `a part of type ${type} is open`);
  const index = data['content_index'] ?? data['summary_index'];
  must(index === parts.length - 1, 'it names the place of the open part');
  return part;
}

const addPart =
  (types: Readonly<Record<string, string>>, itemType: string): Rule =>
  (reading, data) => {
    const { item, parts } = openItem(reading, data);
    const part = data['part'] as Json;
    const field = types[String(part['type'])];
    must(item['type'] === itemType && field !== undefined, 'the part fits its item');
    must(part[field] === '', 'a part begins empty');
    must(
      parts.every(({ isDone }) => isDone),
      'one part is open at a time',
    );
    must(
      (data['content_index'] ?? data['summary_index']) === parts.length,
      'places of parts have no gap',
    );
    parts.push({ type: String(part['type']), text: '', annotations: [], isDone: false });
  };

const addText =
  (type: string): Rule =>
  (reading, data) => {
    openPart(reading, data, type).text += String(data['delta']);
  };

const endText =
  (type: string, field: string): Rule =>
  (reading, data) => {
    must(data[field] === openPart(reading, data, type).text, 'the text is what was told');
  };

const endPart =
  (types: Readonly<Record<string, string>>): Rule =>
  (reading, data) => {
    const given = data['part'] as Json;
    const type = String(given['type']);
    const part = openPart(reading, data, type);
    must(given[types[type]!] === part.text, 'the part is what was told');
    must(
      given['annotations'] === undefined ||
        isDeepStrictEqual(given['annotations'], part.annotations),
      'the annotations are what was told',
    );
    part.isDone = true;
  };

const addToCall =
  (itemType: string): Rule =>
  (reading, data) => {
    const open = openItem(reading, data);
    must(open.item['type'] === itemType && open.done === undefined, `a ${itemType} is open`);
    open.delta += String(data['delta']);
  };

const endCall =
  (itemType: string, field: string): Rule =>
  (reading, data) => {
    const open = openItem(reading, data);
    must(open.item['type'] === itemType, `a ${itemType} is open`);
    must(data[field] === open.delta, 'the call is what was told');
    open.done = data[field];
  };

const content = { output_text: 'text', refusal: 'refusal' };
const summary = { summary_text: 'text' };

const itemPrefixes: Readonly<Record<string, RegExp>> = {
  message: /^msg_\w+$/,
  reasoning: /^rs_\w+$/,
  function_call: /^fc_\w+$/,
  custom_tool_call: /^ctc_\w+$/,
};

/** What an item holds at its end, by its type; compared with what was told inside it. */
function mustBeTold(item: Json, { parts, done }: NonNullable<Reading['open']>): void {
  const texts = (list: unknown): unknown[] =>
    (list as Json[]).map((part) => part['text'] ?? part['refusal']);
  const told = parts.map(({ text }) => text);
  if (item['type'] === 'message') {
    must(isDeepStrictEqual(texts(item['content']), told), 'a message is what was told');
  } else if (item['type'] === 'reasoning') {
    must(isDeepStrictEqual(texts(item['summary']), told), 'a summary is what was told');
  } else {
    must((item['arguments'] ?? item['input']) === done, 'a call is what was told');
  }
}

const rules: Readonly<Record<string, Rule>> = {
  'response.created': lifecycle('in_progress'),
  'response.in_progress': lifecycle('in_progress'),
  'response.completed': end('completed'),
  'response.incomplete': end('incomplete'),
  'response.failed': end('failed'),
  error(reading, data) {
    must(typeof data['message'] === 'string' && 'code' in data && 'param' in data, 'an error');
    reading.error = data;
  },
  'response.output_item.added'(reading, data) {
    const item = data['item'] as Json;
    must(reading.open === undefined, 'one item is open at a time');
    must(data['output_index'] === reading.items.length, 'places of items have no gap');
    must(item['status'] === 'in_progress', 'an item begins in progress');
    must(itemPrefixes[String(item['type'])]!.test(String(item['id'])), 'an item has its own id');
    must(!reading.ids.has(item['id']), 'no two items have one id');
    reading.ids.add(item['id']);
    reading.open = { item, parts: [], delta: '', done: undefined };
  },
  'response.output_item.done'(reading, data) {
    const item = data['item'] as Json;
    const open = openItem(reading, { ...data, item_id: item['id'] });
    must(item['status'] !== 'in_progress', 'an item ends');
    must(
      open.parts.every(({ isDone }) => isDone),
      'parts are closed before their item',
    );
    mustBeTold(item, open);
    reading.items.push(item);
    reading.open = undefined;
  },
  'response.content_part.added': addPart(content, 'message'),
  'response.content_part.done': endPart(content),
  'response.output_text.delta': addText('output_text'),
  'response.output_text.done': endText('output_text', 'text'),
  'response.output_text.annotation.added'(reading, data) {
    const { annotations } = openPart(reading, data, 'output_text');
    must(data['annotation_index'] === annotations.length, 'places of annotations have no gap');
    annotations.push(data['annotation'] as Json);
  },
  'response.refusal.delta': addText('refusal'),
  'response.refusal.done': endText('refusal', 'refusal'),
  'response.reasoning_summary_part.added': addPart(summary, 'reasoning'),
  'response.reasoning_summary_part.done': endPart(summary),
  'response.reasoning_summary_text.delta': addText('summary_text'),
  'response.reasoning_summary_text.done': endText('summary_text', 'text'),
  'response.function_call_arguments.delta': addToCall('function_call'),
  'response.function_call_arguments.done': endCall('function_call', 'arguments'),
  'response.custom_tool_call_input.delta': addToCall('custom_tool_call'),
  'response.custom_tool_call_input.done': endCall('custom_tool_call', 'input'),
};

function eventsOf(bytes: string): readonly (readonly [event: string, data: Json])[] {
  must(bytes.endsWith('\n\n'), 'a stream ends behind an event');
  return bytes
    .slice(0, -2)
    .split('\n\n')
    .filter((block) => block !== ': ping')
    .map((block) => {
      const [, event, data] = /^event: ([\w.]+)\ndata: (\{.*\})$/.exec(block) ?? [];
      must(event !== undefined && data !== undefined, `an event has a name and data: ${block}`);
      const parsed = JSON.parse(data) as Json;
      must(parsed['type'] === event, `the data of ${event} is of its type`);
      return [event, parsed] as const;
    });
}

/**
 * Reads a whole stream as the strictest client would: throws where the grammar of the responses
 * format is broken.
 */
export function readResponse(bytes: string): ReadResponse {
  const reading: Reading = {
    types: [],
    items: [],
    ids: new Set(),
    id: undefined,
    open: undefined,
    response: undefined,
    error: undefined,
    over: false,
  };
  eventsOf(bytes).forEach(([event, data], index) => {
    must(!reading.over, `nothing follows the end: ${event}`);
    must(data['sequence_number'] === index, 'events are numbered without a gap');
    must(
      index > 1 ||
        event === 'error' ||
        event === ['response.created', 'response.in_progress'][index],
      'a stream begins with the response',
    );
    must(reading.error === undefined || event === 'response.failed', 'an error ends the stream');
    const rule = rules[event];
    must(rule !== undefined, `known events only: ${event}`);
    rule(reading, data);
    reading.types.push(event);
  });
  const { response, items, error, types, over } = reading;
  must(over || (error !== undefined && types.length === 1), 'a stream ends with its response');
  must(
    (error === undefined) === (types.at(-1) !== 'response.failed' && over),
    'a failure says why',
  );
  return { response, items, error, types };
}
