import type { Fields } from '../json.ts';
import type {
  Part,
  ReasoningPart,
  TextPart,
  TextRequest,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';
import { createToolIds, splitToolId, type ToolIds } from './tool-ids.ts';
import { vendorSignature } from './vendor-signature.ts';
import { type ShownPart, textOf, writeShown, writeShownPart } from './write-shown.ts';
import type { ToolNames } from './write-tools.ts';

interface Writing {
  readonly quirks: ChatQuirks;
  readonly names: ToolNames;
  readonly ids: ToolIds;
  readonly thinking: boolean;
}

export interface MessagesOptions {
  readonly quirks: ChatQuirks;
  readonly names: ToolNames;
  /** Joined to the system text. */
  readonly instruction: string | undefined;
  /** The model is going to think. */
  readonly thinking: boolean;
}

/** The conversation as chat messages. */
export function writeMessages(
  request: TextRequest,
  { quirks, names, instruction, thinking }: MessagesOptions,
): readonly Fields[] {
  const writing = { quirks, names, ids: createToolIds(quirks.toolIdRule), thinking };
  const system =
    instruction === undefined
      ? request.system
      : [...request.system, { type: 'text' as const, text: instruction }];
  const first =
    system.length === 0 ? [] : [{ role: quirks.systemRole, content: writeSystem(system, quirks) }];
  const messages: Fields[] = [...first];
  request.turns.forEach((turn, index) => {
    for (const message of writeTurn(turn, request.turns[index + 1], writing)) {
      messages.push(message);
    }
  });
  // An instruction told as the user's words joins them: roles alternate for some models.
  const joins = quirks.midSystem === 'user' && request.turns.some(({ role }) => role === 'system');
  const whole = quirks.mergeSameRole || joins ? mergeNeighbours(messages) : messages;
  return quirks.prefill === 'prefix' || quirks.prefill === 'partial'
    ? markPrefill(whole, quirks.prefill)
    : whole;
}

const writeSystem = (parts: readonly TextPart[], quirks: ChatQuirks): unknown =>
  quirks.cacheControl && parts.some(({ cacheControl }) => cacheControl !== undefined)
    ? parts.map((part) => writeText(part, quirks))
    : parts.map(({ text }) => text).join('\n\n');

const writeText = ({ text, cacheControl }: TextPart, quirks: ChatQuirks): Fields => ({
  type: 'text',
  text,
  ...(quirks.cacheControl && cacheControl !== undefined && { cache_control: cacheControl }),
});

function writeTurn(turn: Turn, next: Turn | undefined, writing: Writing): readonly Fields[] {
  if (turn.role === 'assistant') {
    // The model goes on from the last turn's words, and with thoughts of its own.
    const about = next === undefined ? { ...writing, thinking: false } : writing;
    const written = writeAssistant(turn.parts, about);
    return writing.quirks.fillMissingResults
      ? [written, ...missingResults(turn, next, writing)]
      : [written];
  }
  if (turn.role === 'user') return writeUser(turn.parts, writing);
  const text = turn.parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');
  return [
    writing.quirks.midSystem === 'system'
      ? { role: 'system', content: text }
      : { role: 'user', content: `<system>\n${text}\n</system>` },
  ];
}

function missingResults(
  { parts }: Turn,
  next: Turn | undefined,
  { ids }: Writing,
): readonly Fields[] {
  const withResult = new Set(
    next?.parts.filter((part) => part.type === 'tool_result').map(({ callId }) => callId),
  );
  return parts
    .filter((part) => part.type === 'tool_call')
    .filter(({ id }) => !withResult.has(id))
    .map(({ id }) => ({ role: 'tool', tool_call_id: ids.ofResult(id), content: '(no result)' }));
}

/** In loops and literals: each `flatMap` and each spread costs as much as all else about a message. */
function writeAssistant(parts: readonly Part[], writing: Writing): Fields {
  const { text, calls, thoughts } = saidIn(parts, writing);
  const reasoning = writeHistoryReasoning(thoughts, writing);
  if (reasoning === undefined && text !== '') {
    return calls.length === 0
      ? { role: 'assistant', content: text }
      : { role: 'assistant', content: text, tool_calls: calls };
  }
  const content =
    text === '' && calls.length > 0
      ? emptyContents[writing.quirks.callsOnlyContent]
      : { content: text };
  return {
    role: 'assistant',
    ...content,
    ...reasoning,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function saidIn(
  parts: readonly Part[],
  writing: Writing,
): { text: string; calls: readonly Fields[]; thoughts: readonly ReasoningPart[] } {
  let text = '';
  const calls: Fields[] = [];
  const thoughts: ReasoningPart[] = [];
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'tool_call') calls.push(writeCall(part, writing));
    else if (part.type === 'reasoning') thoughts.push(part);
  }
  return { text, calls, thoughts };
}

const emptyContents: Readonly<Record<ChatQuirks['callsOnlyContent'], Fields>> = {
  null: { content: null },
  empty: { content: '' },
  absent: {},
};

function writeCall(
  { id, name, argumentsText }: ToolCallPart,
  { quirks, names, ids }: Writing,
): Fields {
  const told = names.of(name);
  const call = {
    id: ids.ofCall(id, told),
    type: 'function',
    function: { name: told, arguments: argumentsText === '' ? '{}' : argumentsText },
  };
  const signature = quirks.thoughtSignatures ? splitToolId(id).signature : undefined;
  return signature === undefined
    ? call
    : { ...call, extra_content: { google: { thought_signature: signature } } };
}

/** Stands where an upstream insists on thoughts and the turn came without: from another model. */
const noThoughts = '.';

/**
 * Thoughts go back as the upstream showed them. Signatures of another vendor stay here: they would
 * be refused.
 */
function writeHistoryReasoning(
  parts: readonly ReasoningPart[],
  { quirks: { historyReasoning, historyReasoningRequired }, thinking }: Writing,
): Fields | undefined {
  if (historyReasoning === 'drop') return undefined;
  const told = parts.map((part) => part.text).join('');
  const text = told === '' && thinking && historyReasoningRequired ? noThoughts : told;
  if (text === '') return undefined;
  if (historyReasoning !== 'reasoning_details') return { [historyReasoning]: text };
  const details = parts
    .filter((part) => part.text !== '')
    .map((part, index) => {
      const signature = vendorSignature(part.signature);
      return {
        type: 'reasoning.text',
        text: part.text,
        ...(signature !== undefined && { signature }),
        index,
      };
    });
  return { reasoning: text, reasoning_details: details };
}

/**
 * Results first, each a message of its own; then whatever else the user showed, with the pictures
 * that tools returned.
 */
function writeUser(parts: readonly Part[], writing: Writing): readonly Fields[] {
  const attached: ShownPart[] = [];
  const shown: ShownPart[] = [];
  const messages: Fields[] = [];
  for (const part of parts) {
    if (part.type === 'tool_result') messages.push(writeResult(part, writing, attached));
    else if (part.type === 'text' || part.type === 'image' || part.type === 'document') {
      shown.push(part);
    }
  }
  const rest = attached.length === 0 ? shown : [...attached, ...shown];
  if (rest.length > 0) messages.push({ role: 'user', content: writeShown(rest, writing.quirks) });
  return messages;
}

function writeResult(
  result: ToolResultPart,
  { quirks, ids }: Writing,
  attached: ShownPart[],
): Fields {
  const id = ids.ofResult(result.callId);
  if (quirks.toolImages && result.content.some((part) => part.type === 'image')) {
    const content = result.content.map((part) => writeShownPart(part, quirks));
    return { role: 'tool', tool_call_id: id, content };
  }
  const lines = result.content.map((part) => {
    const text = textOf(part, quirks);
    if (text !== undefined) return text;
    attached.push(part);
    return `[${part.type} ${attached.length} attached below]`;
  });
  const text = lines.join('\n');
  // This dialect has no flag for a failed tool.
  const content = `${result.isError ? 'Error: ' : ''}${text}` || quirks.emptyToolResult;
  return { role: 'tool', tool_call_id: id, content };
}

/** Strict vendors want the roles to alternate. */
function mergeNeighbours(messages: readonly Fields[]): readonly Fields[] {
  const merged: Fields[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const both =
      last?.['role'] === message['role'] &&
      message['role'] !== 'tool' &&
      !('tool_calls' in message) &&
      !('tool_calls' in (last ?? {}));
    if (both) {
      merged[merged.length - 1] = {
        ...last,
        ...message,
        content: joinContents(last?.['content'], message['content']),
      };
    } else merged.push(message);
  }
  return merged;
}

function joinContents(first: unknown, second: unknown): unknown {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  const partsOf = (content: unknown): readonly unknown[] =>
    Array.isArray(content) ? content : [{ type: 'text', text: content }];
  return [...partsOf(first), ...partsOf(second)];
}

function markPrefill(messages: readonly Fields[], word: 'prefix' | 'partial'): readonly Fields[] {
  const last = messages.at(-1);
  return last?.['role'] === 'assistant' && !('tool_calls' in last)
    ? [...messages.slice(0, -1), { ...last, [word]: true }]
    : messages;
}
