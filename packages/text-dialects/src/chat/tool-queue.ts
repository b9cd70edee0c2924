import { type Fields, isFields, lookUp, wordsOf } from '../json.ts';
import type { CompletionIdentity, CompletionMemory, TextEvent } from '../neutral.ts';
import { createToolArguments, type ToolArguments } from './tool-arguments.ts';
import { newToolId } from './tool-ids.ts';

export interface ToolQueue {
  /** One fragment of `delta.tool_calls`. */
  fragment(fields: Fields, emit: Emit): void;
  /** Text or thoughts: at once, or behind the calls that are still open. */
  words(event: WordsEvent, emit: Emit): void;
  /** No fragment can come any more. */
  flush(emit: Emit): void;
  /** Calls that have a name so far. */
  calls(): number;
}

type Emit = (event: TextEvent) => void;
export type WordsEvent = Extract<
  TextEvent,
  { type: 'text' | 'source' | 'reasoning' | 'reasoning_signature' | 'reasoning_redacted' }
>;

interface Call {
  readonly kind: 'call';
  readonly index: number | undefined;
  upstreamId: string | undefined;
  name: string | undefined;
  /** All fragments so far, to recognise a vendor that repeats them. */
  raw: string;
  /** Told already, or waiting for its turn. */
  waiting: string;
  started: boolean;
  /** The fields of the fragment that named it: they hold the id and the vendor's signature. */
  naming: Fields;
  readonly arguments: ToolArguments;
}

type Segment = Call | { readonly kind: 'words'; readonly event: WordsEvent };

/**
 * Sorts the fragments of parallel calls, which vendors interleave, into one call after another. The
 * oldest open call is told live; what begins later waits. A call ends where its arguments close,
 * and at the latest when the completion does.
 */
export function createToolQueue({
  memory,
  identity,
  hold,
}: {
  memory: CompletionMemory;
  identity: CompletionIdentity;
  hold: boolean;
}): ToolQueue {
  const known: Call[] = [];
  const queue: Segment[] = [];
  const taken = new Set<string>();
  const tell = createTeller({ memory, identity, taken });

  /**
   * Tells all that can be told: whole segments from the front, and the beginning of the first open
   * call.
   */
  const advance = (emit: Emit, ended: boolean): void => {
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      if (head.kind === 'call' && !tell(head, { emit, ended })) return;
      if (head.kind === 'words') emit(head.event);
      queue.shift();
    }
  };
  return {
    calls: () => known.filter(({ name }) => name !== undefined).length,
    words(event, emit) {
      if (queue.length === 0) emit(event);
      else queue.push({ kind: 'words', event });
    },
    fragment(fields, emit) {
      const found = findCall(known, fields);
      const call = found ?? newCall(fields, hold);
      if (found === undefined) {
        known.push(call);
        queue.push(call);
      }
      take(call, fields);
      advance(emit, false);
    },
    flush: (emit) => {
      advance(emit, true);
    },
  };
}

interface Telling {
  readonly emit: Emit;
  readonly ended: boolean;
}

/** Tells what a call has; true when it is over. A call that never got a name is left out. */
function createTeller({
  memory,
  identity,
  taken,
}: {
  memory: CompletionMemory;
  identity: CompletionIdentity;
  taken: Set<string>;
}) {
  return (call: Call, { emit, ended }: Telling): boolean => {
    if (call.name === undefined) return ended;
    if (!call.started) {
      const id = newToolId({ ...call.naming, id: call.upstreamId }, { taken, identity });
      emit({ type: 'tool_start', id, name: lookUp(memory.toolNames, call.name) ?? call.name });
      call.started = true;
    }
    const over = ended || call.arguments.isComplete();
    const text = `${call.waiting}${over ? call.arguments.finish() : ''}`;
    call.waiting = '';
    if (text !== '') emit({ type: 'tool_arguments', text });
    if (over) emit({ type: 'tool_end' });
    return over;
  };
}

const newCall = (fields: Fields, hold: boolean): Call => ({
  kind: 'call',
  index: typeof fields['index'] === 'number' ? fields['index'] : undefined,
  upstreamId: undefined,
  name: undefined,
  raw: '',
  waiting: '',
  started: false,
  naming: fields,
  arguments: createToolArguments({ hold }),
});

function take(call: Call, fields: Fields): void {
  const name = nameOf(fields);
  call.upstreamId ??= wordsOf(fields['id']);
  if (call.name === undefined && name !== undefined) [call.name, call.naming] = [name, fields];
  const text = argumentsOf(fields);
  call.raw += text;
  call.waiting += call.arguments.push(text);
}

const functionOf = (fields: Fields): Fields =>
  isFields(fields['function']) ? fields['function'] : fields;
const nameOf = (fields: Fields): string | undefined => wordsOf(functionOf(fields)['name']);

/** Some vendors send the arguments as an object, whole. */
function argumentsOf(fields: Fields): string {
  const value = functionOf(fields)['arguments'];
  if (typeof value === 'string') return value;
  return isFields(value) ? JSON.stringify(value) : '';
}

/**
 * Which call a fragment belongs to, or undefined for a new one. Vendors leave out the index, repeat
 * it, or give only an id.
 */
function findCall(known: readonly Call[], fields: Fields): Call | undefined {
  const { index } = fields;
  if (typeof index !== 'number') return findWithoutIndex(known, fields);
  const candidate = known.findLast((call) => call.index === index);
  if (candidate !== undefined && !beginsAnother(candidate, fields)) return candidate;
  return nameOf(fields) === undefined ? sameId(known, wordsOf(fields['id'])) : undefined;
}

function findWithoutIndex(known: readonly Call[], fields: Fields): Call | undefined {
  const id = wordsOf(fields['id']);
  const last = known.at(-1);
  const mayBeLast = last !== undefined && !beginsAnother(last, fields);
  if (id === undefined) return mayBeLast ? last : undefined;
  return sameId(known, id) ?? (mayBeLast && last.upstreamId === undefined ? last : undefined);
}

const sameId = (known: readonly Call[], id: string | undefined): Call | undefined =>
  id === undefined ? undefined : known.findLast(({ upstreamId }) => upstreamId === id);

/**
 * Whether a fragment at a call's own index begins another call: vendors that always send index 0.
 */
function beginsAnother(call: Call, fields: Fields): boolean {
  const name = nameOf(fields);
  const id = wordsOf(fields['id']);
  if (name === undefined || call.name === undefined) return false;
  if (id !== undefined && call.upstreamId !== undefined) return id !== call.upstreamId;
  return name !== call.name || startsOver(call, argumentsOf(fields));
}

/**
 * The same name again without an id: another call when the first is complete and this is not a
 * repetition of it.
 */
const startsOver = (call: Call, text: string): boolean =>
  call.arguments.isComplete() && text !== '' && text !== call.raw;
