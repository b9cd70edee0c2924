import type { Part, TextPart, ToolCallPart, ToolResultPart } from '../neutral.ts';

/**
 * One thing of a conversation in the order in which the client told it. A result without an id is
 * found by its function's name.
 */
export type Entry =
  | { readonly kind: 'system'; readonly parts: readonly TextPart[] }
  | { readonly kind: 'user' | 'assistant'; readonly parts: readonly Part[] }
  | ResultEntry;

interface ResultEntry {
  readonly kind: 'result';
  readonly result: ToolResultPart;
  readonly name?: string;
}

/** A call and its result. `early` is a result that came before its call. */
interface Slot {
  readonly call: ToolCallPart;
  readonly callId: string;
  readonly results: ResultEntry[];
  readonly early: ResultEntry | undefined;
}

const missingResult: ToolResultPart['content'] = [{ type: 'text', text: '(no result provided)' }];

/**
 * Puts each tool's result right behind the assistant's turn that called it, in the order of the
 * calls, as the messages dialect insists. A call without a result gets an error for one, a result
 * without a call becomes the user's text, and an id that is used again is made unique for both.
 */
export function pairResults(entries: readonly Entry[]): readonly Entry[] {
  if (!entries.some(isAboutTools)) return entries;
  const slots = assignResults(entries);
  const taken = takenResults(slots);
  const paired: Entry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'assistant') pairCalls(entry.parts, slots, paired);
    else if (entry.kind !== 'result') paired.push(entry);
    else if (!taken.has(entry)) paired.push(asUserText(entry));
  }
  return paired;
}

/** Adds what the assistant said, then a result for each of its calls. */
function pairCalls(
  said: readonly Part[],
  slots: ReadonlyMap<ToolCallPart, Slot>,
  paired: Entry[],
): void {
  const parts: Part[] = [];
  paired.push({ kind: 'assistant', parts });
  for (const part of said) {
    const slot = part.type === 'tool_call' ? slots.get(part) : undefined;
    if (slot === undefined) parts.push(part);
    else {
      const { call, callId } = slot;
      parts.push(callId === call.id ? call : { ...call, id: callId });
      paired.push({ kind: 'result', result: resultOf(slot) });
    }
  }
}

function takenResults(slots: ReadonlyMap<ToolCallPart, Slot>): ReadonlySet<Entry> {
  const taken = new Set<Entry>();
  for (const { results, early } of slots.values()) {
    for (const result of results) taken.add(result);
    if (results.length === 0 && early !== undefined) taken.add(early);
  }
  return taken;
}

const isAboutTools = (entry: Entry): boolean =>
  entry.kind === 'result' ||
  (entry.kind === 'assistant' && entry.parts.some(({ type }) => type === 'tool_call'));

/** A result told twice counts once, the last. */
function resultOf({ callId, results, early }: Slot): ToolResultPart {
  const entry = results.at(-1) ?? early;
  if (entry === undefined) {
    return { type: 'tool_result', callId, content: missingResult, isError: true };
  }
  return entry.result.callId === callId ? entry.result : { ...entry.result, callId };
}

/**
 * Which result belongs to which call, in one walk: a result belongs to the latest call before it under its id, else
 * to the first after it.
 */
function assignResults(entries: readonly Entry[]): Map<ToolCallPart, Slot> {
  const slots = new Map<ToolCallPart, Slot>();
  const uniqueId = createUniqueIds();
  const early = new Map<string, ResultEntry>();
  const waiting = createWaitingList();
  const openCall = (call: ToolCallPart): void => {
    const slot: Slot = {
      call,
      callId: uniqueId(call.id === '' ? 'call' : call.id),
      results: [],
      early: early.get(call.id),
    };
    early.delete(call.id);
    slots.set(call, slot);
    waiting.add(slot);
  };
  const hearResult = (entry: ResultEntry): void => {
    const slot = waiting.next(entry);
    if (slot !== undefined) slot.results.push(entry);
    else if (entry.result.callId !== '') early.set(entry.result.callId, entry);
  };
  for (const entry of entries) {
    if (entry.kind === 'result') hearResult(entry);
    if (entry.kind !== 'assistant') continue;
    waiting.newTurn();
    for (const part of entry.parts) if (part.type === 'tool_call') openCall(part);
  }
  return slots;
}

interface WaitingList {
  newTurn(): void;
  add(slot: Slot): void;
  next(entry: ResultEntry): Slot | undefined;
}

interface Line {
  readonly turn: number;
  readonly slots: Slot[];
  told: number;
}

/**
 * Calls of one turn that share an id get their results in turn, and what comes beyond goes to the last.
 * Calls without an id go by their name.
 */
function createWaitingList(): WaitingList {
  const byId = new Map<string, Line>();
  const byName = new Map<string, Line>();
  let turn = 0;
  return {
    newTurn() {
      turn += 1;
    },
    add(slot) {
      const { id, name } = slot.call;
      const line = id === '' ? byName.get(name) : byId.get(id);
      // A later turn that uses an id again takes over its results; names wait until their
      // results come.
      if (line !== undefined && (id === '' || line.turn === turn)) line.slots.push(slot);
      else (id === '' ? byName : byId).set(id === '' ? name : id, { turn, slots: [slot], told: 0 });
    },
    next({ result: { callId }, name }) {
      const line = callId === '' ? byName.get(name ?? '') : byId.get(callId);
      if (line === undefined) return undefined;
      line.told += 1;
      return line.slots[line.told - 1] ?? (callId === '' ? undefined : line.slots.at(-1));
    },
  };
}

/** The id itself the first time, then with a number that no other id ends in. */
function createUniqueIds(): (id: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (id) => {
    let count = counts.get(id) ?? 1;
    let unique = id;
    for (; taken.has(unique); unique = `${id}_${count}`) count += 1;
    counts.set(id, count);
    taken.add(unique);
    return unique;
  };
}

function asUserText({ result, name }: ResultEntry): Entry {
  const about = [result.callId, name]
    .filter((word) => word !== undefined && word !== '')
    .join(', ');
  const label: TextPart = {
    type: 'text',
    text: `[result of a tool call that is not in this conversation${about === '' ? '' : `: ${about}`}]`,
  };
  return { kind: 'user', parts: [label, ...result.content] };
}
