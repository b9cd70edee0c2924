import type { Part, TextPart, ToolResultPart, Turn } from '../neutral.ts';
import { readContent, textPart } from './read-blocks.ts';
import { readList, readObject, refuse } from './read-fields.ts';

export interface ReadTurns {
  /** Instructions that stood before the first turn. */
  readonly leading: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/**
 * The conversation: neighbours of one role merged, each call's result right behind it, results
 * before anything else.
 */
export function readTurns(messages: unknown): ReadTurns {
  const read = readList(messages, 'messages').map(readTurn);
  const first = read.findIndex(({ role }) => role !== 'system');
  const leading = (first < 0 ? read : read.slice(0, first)).flatMap(({ parts }) =>
    parts.filter((part) => part.type === 'text'),
  );
  const turns = pairResults(mergeNeighbours(first < 0 ? [] : read.slice(first)));
  if (turns.length === 0) throw refuse('messages', 'must have at least one message with content');
  return { leading, turns };
}

function readTurn(message: unknown, index: number): Turn {
  const { role, content } = readObject(message, `messages[${index}]`);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw refuse(`messages[${index}].role`, 'must be user, assistant or system');
  }
  return { role, parts: readContent(content, `messages[${index}].content`) };
}

/**
 * The originator's API merges neighbours of one role; turns that say nothing are left out before
 * that.
 */
function mergeNeighbours(turns: readonly Turn[]): readonly Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/**
 * An instruction between a call and its result waits until after the result: nothing may come
 * between those two.
 */
function pairResults(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some(({ parts }) => parts.some(isAboutTools))) return turns;
  const paired: Turn[] = [];
  let open = noCalls;
  let waiting: Turn[] = [];
  for (const turn of turns) {
    if (turn.role === 'system' && open.size > 0) {
      waiting.push(turn);
    } else if (turn.role === 'user') {
      const { results, rest } = sortOut(turn.parts, open);
      const pieces: readonly Turn[] =
        waiting.length === 0
          ? [{ role: 'user', parts: rest.length === 0 ? results : [...results, ...rest] }]
          : [{ role: 'user', parts: results }, ...waiting, { role: 'user', parts: rest }];
      paired.push(...pieces.filter(({ parts }) => parts.length > 0));
      open = noCalls;
      waiting = [];
    } else {
      paired.push(...waiting, turn);
      waiting = [];
      open = callsOf(turn);
    }
  }
  return [...paired, ...waiting];
}

const noCalls: ReadonlySet<string> = new Set();

function callsOf({ parts }: Turn): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const part of parts) if (part.type === 'tool_call') ids.add(part.id);
  return ids;
}

const isAboutTools = ({ type }: Part): boolean => type === 'tool_call' || type === 'tool_result';

/**
 * Results of open calls, the last one for each; a result that nobody asked for becomes text, in its
 * place.
 */
function sortOut(
  parts: readonly Part[],
  open: ReadonlySet<string>,
): { results: readonly ToolResultPart[]; rest: readonly Part[] } {
  const results = new Map<string, ToolResultPart>();
  const rest: Part[] = [];
  for (const part of parts) {
    if (part.type !== 'tool_result') rest.push(part);
    else if (open.has(part.callId)) results.set(part.callId, part);
    else rest.push(textPart(`[result of an earlier tool call ${part.callId}]`), ...part.content);
  }
  return { results: [...results.values()], rest };
}
