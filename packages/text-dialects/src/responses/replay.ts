import { type Fields, isFields, parseJson } from '../json.ts';
import { cutShort, failureIn, failureOfBody, UpstreamFailureError } from '../upstream-failure.ts';
import { readList, readRecord, readString } from '../values.ts';
import { createSseParser } from '../wire/sse-parser.ts';
import { isFinishedResponse } from '../wire/usage.ts';
import { createWrittenEvents, type Events } from './events.ts';

/** A whole Response object told as the stream that ends with it. */
export function replayResponse(response: Fields): string {
  const events = createWrittenEvents();
  const begun = {
    ...response,
    status: 'in_progress',
    output: [],
    usage: null,
    completed_at: null,
    incomplete_details: null,
  };
  events.tell('response.created', { response: begun });
  events.tell('response.in_progress', { response: begun });
  (readList(response['output']) ?? []).filter(isFields).forEach((item, index) => {
    events.tell('response.output_item.added', { output_index: index, item: emptied(item) });
    tellInside(events, item, { item_id: item['id'], output_index: index });
    events.tell('response.output_item.done', { output_index: index, item });
  });
  events.tell(`response.${String(response['status'])}`, { response });
  return events.take();
}

const texts: Readonly<Record<string, unknown>> = {
  content: [],
  summary: [],
  arguments: '',
  input: '',
  encrypted_content: null,
};

/** An item before anything of it was told. */
const emptied = (item: Fields): Fields =>
  Object.fromEntries(
    Object.entries({ ...item, status: 'in_progress' }).map(([field, value]) => [
      field,
      texts[field] === undefined ? value : texts[field],
    ]),
  );

/** How each text of an item is told: its events, and the field that it has in its part. */
const contentEvents: Readonly<Record<string, readonly [event: string, field: string]>> = {
  output_text: ['response.output_text', 'text'],
  refusal: ['response.refusal', 'refusal'],
  reasoning_text: ['response.reasoning_text', 'text'],
};

function tellInside(events: Events, item: Fields, where: Fields): void {
  tellCall(events, item, where);
  (readList(item['summary']) ?? []).forEach((part, index) => {
    const at = { ...where, summary_index: index };
    const text = readString(readRecord(part)?.['text']) ?? '';
    const empty = { ...readRecord(part), text: '' };
    events.tell('response.reasoning_summary_part.added', { ...at, part: empty });
    events.tell('response.reasoning_summary_text.delta', { ...at, delta: text });
    events.tell('response.reasoning_summary_text.done', { ...at, text });
    events.tell('response.reasoning_summary_part.done', { ...at, part });
  });
  (readList(item['content']) ?? []).forEach((part, index) => {
    tellContent(events, readRecord(part) ?? {}, { ...where, content_index: index });
  });
}

function tellContent(events: Events, part: Fields, at: Fields): void {
  const [event, field] = contentEvents[String(part['type'])] ?? [];
  const { annotations } = part;
  const empty = { ...part, ...(annotations !== undefined && { annotations: [] }) };
  events.tell('response.content_part.added', {
    ...at,
    part: field === undefined ? empty : { ...empty, [field]: '' },
  });
  if (event !== undefined && field !== undefined) {
    const text = readString(part[field]) ?? '';
    events.tell(`${event}.delta`, { ...at, delta: text });
    (readList(annotations) ?? []).forEach((annotation, annotation_index) => {
      events.tell(`${event}.annotation.added`, { ...at, annotation_index, annotation });
    });
    events.tell(`${event}.done`, { ...at, [field]: text });
  }
  events.tell('response.content_part.done', { ...at, part });
}

function tellCall(
  events: Events,
  { type, arguments: given, input, name }: Fields,
  at: Fields,
): void {
  if (type === 'function_call') {
    events.tell('response.function_call_arguments.delta', { ...at, delta: given });
    events.tell('response.function_call_arguments.done', { ...at, name, arguments: given });
  } else if (type === 'custom_tool_call') {
    events.tell('response.custom_tool_call_input.delta', { ...at, delta: input });
    events.tell('response.custom_tool_call_input.done', { ...at, input });
  }
}

/**
 * The Response object that a whole stream ends with, as bytes. Throws `UpstreamFailureError` for a
 * stream that failed or was cut off.
 */
export function responseOfStream(stream: Uint8Array): Buffer {
  const parser = createSseParser();
  const events = [...parser.push(stream), ...parser.end()].map(
    ({ data }) => readRecord(parseJson(data)) ?? {},
  );
  for (const event of events) {
    const response = readRecord(event['response']);
    if (isFinishedResponse(response?.['status'])) return Buffer.from(JSON.stringify(response));
    const failure = event['type'] === 'error' ? failureOfBody(event) : failureIn(response ?? event);
    if (failure !== undefined) throw new UpstreamFailureError(failure);
  }
  throw new UpstreamFailureError(cutShort);
}
