import { type Fields, isFields } from '../json.ts';
import { readList } from '../values.ts';
import {
  applyEdits,
  type Edit,
  readTopLevel,
  type TopLevel,
  valueOf,
  type ValueSpan,
} from '../wire/body-spans.ts';
import { withoutSealed } from './reasoning-item.ts';

/** What a Response object says of its request that its upstream was told otherwise; plain data. */
export interface PassedResponse {
  /** Fields as the client sent them. */
  readonly settings: Fields;
  /** The gateway asked for what carries the thoughts, and the client did not. */
  readonly hidesThoughts: boolean;
}

export interface ResponseChanges extends PassedResponse {
  /** The client's own name of the model, where the upstream has another. */
  readonly rewriteModel: string | null;
  /** Called with the whole Response object once it is complete, thoughts and all. */
  readonly onResponse?: ((response: Fields) => void) | undefined;
}

/** Whether every byte of a response may pass as it is. */
export const changesNothing = ({
  settings,
  hidesThoughts,
  rewriteModel,
  onResponse,
}: ResponseChanges): boolean =>
  rewriteModel === null &&
  !hidesThoughts &&
  onResponse === undefined &&
  Object.keys(settings).length === 0;

/** A whole Response object for its client; it is handed over to be kept when it `isComplete`. */
export function changeResponse(
  body: Buffer,
  changes: ResponseChanges,
  isComplete: boolean,
): Buffer {
  const found = readTopLevel(body, ['model', ...Object.keys(changes.settings)]);
  const told = applyEdits(body, [
    ...modelEdits(body, found, changes),
    ...settingEdits(body, found, changes),
  ]);
  if (isComplete) hand(told, changes);
  return changes.hidesThoughts ? withoutThoughts(told) : told;
}

function hand(body: Buffer, { onResponse }: ResponseChanges): void {
  if (onResponse === undefined) return;
  const response = valueOf(body, { start: 0, end: body.length });
  if (isFields(response)) onResponse(response);
}

function modelEdits(body: Buffer, { spans }: TopLevel, { rewriteModel }: ResponseChanges): Edit[] {
  if (rewriteModel === null) return [];
  return spans
    .filter((span) => span.key === 'model' && typeof valueOf(body, span) === 'string')
    .flatMap((span) => editTo(body, span, rewriteModel));
}

/** A field that the upstream does not repeat is put in, unless it says nothing. */
function settingEdits(
  body: Buffer,
  { inside, spans }: TopLevel,
  { settings }: ResponseChanges,
): Edit[] {
  if (inside < 0) return [];
  return Object.entries(settings).flatMap(([key, value]): Edit[] => {
    const found = spans.filter((span) => span.key === key);
    if (found.length > 0) return found.flatMap((span) => editTo(body, span, value));
    return value === null
      ? []
      : [{ start: inside, end: inside, text: `${JSON.stringify(key)}:${JSON.stringify(value)},` }];
  });
}

function editTo(body: Buffer, span: ValueSpan, value: unknown): Edit[] {
  if (valueOf(body, span) === value) return [];
  return [{ start: span.start, end: span.end, text: JSON.stringify(value) }];
}

const sealedMark = Buffer.from('"encrypted_content"');

/** The output of a response, or the item of an event, without what the client did not ask for. */
function withoutThoughts(body: Buffer): Buffer {
  if (!body.includes(sealedMark)) return body;
  const { spans } = readTopLevel(body, ['output', 'item']);
  return applyEdits(
    body,
    spans.map((span) => {
      const value = valueOf(body, span);
      const shown = readList(value)?.map(withoutSealedItem) ?? withoutSealedItem(value);
      return { start: span.start, end: span.end, text: JSON.stringify(shown) };
    }),
  );
}

/** A Response object, as JSON, for a client that did not ask for what carries its thoughts. */
export const hideThoughts = (json: string): string =>
  json.includes('"encrypted_content"') ? withoutThoughts(Buffer.from(json)).toString() : json;

/** Thoughts alone: a compaction is nothing without it. */
const withoutSealedItem = (item: unknown): unknown =>
  isFields(item) && item['type'] === 'reasoning' ? withoutSealed(item) : item;

const ends: readonly unknown[] = ['response.completed', 'response.incomplete'];

/** Changes the events of a stream that tell the response itself, and those that tell its thoughts. */
export function createEventChanger(changes: ResponseChanges): (line: string) => string {
  const tellsItem = (line: string): boolean =>
    changes.hidesThoughts && line.includes('"encrypted_content"');
  return (line) => {
    if (!line.startsWith('data:')) return line;
    const tellsResponse = line.includes('"response":');
    if (!tellsResponse && !tellsItem(line)) return line;
    const bytes = Buffer.from(line, 'latin1');
    const { spans } = readTopLevel(bytes, ['type', 'response']);
    const response = spans.find(({ key }) => key === 'response');
    const type = spans.find(({ key }) => key === 'type');
    if (type === undefined) return line;
    if (response === undefined) return withoutThoughtsInEvent(bytes, changes).toString('latin1');
    const { start, end } = response;
    const isComplete = ends.includes(valueOf(bytes, type));
    return Buffer.concat([
      bytes.subarray(0, start),
      changeResponse(bytes.subarray(start, end), changes, isComplete),
      bytes.subarray(end),
    ]).toString('latin1');
  };
}

const withoutThoughtsInEvent = (bytes: Buffer, { hidesThoughts }: ResponseChanges): Buffer =>
  hidesThoughts ? withoutThoughts(bytes) : bytes;

const marks = /"(?:response":|encrypted_content")/;

/** Whether a chunk of whole lines tells nothing that may have to be changed. */
export const tellsNoResponse = (chunk: Buffer): boolean => !marks.test(chunk.toString('latin1'));
