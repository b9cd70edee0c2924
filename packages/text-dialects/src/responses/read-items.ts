import { conversationOf } from '../chat/conversation.ts';
import type { Entry } from '../chat/pair-results.ts';
import { invalid, unsupported } from '../chat/refuse.ts';
import { type Fields, lookUp } from '../json.ts';
import type { Part, TextPart, Turn } from '../neutral.ts';
import { readRecord, readString, readText } from '../values.ts';
import { flatName } from './namespaces.ts';
import {
  readAssistantContent,
  readOutput,
  readReasoningItem,
  readSystemContent,
  readUserContent,
} from './read-content.ts';

type ReadItem = (item: Fields, path: string) => Entry[];

const said = (parts: readonly Part[]): Entry[] =>
  parts.length === 0 ? [] : [{ kind: 'assistant', parts }];

const messages: Readonly<Record<string, ReadItem>> = {
  user: (item, path) => [
    { kind: 'user', parts: readUserContent(item['content'], `${path}.content`) },
  ],
  assistant: (item, path) => said(readAssistantContent(item['content'], `${path}.content`)),
  system: readSystem,
  developer: readSystem,
};

const items: Readonly<Record<string, ReadItem>> = {
  message(item, path) {
    const read = lookUp(messages, readString(item['role']) ?? '');
    if (read === undefined) {
      throw invalid(`${path}.role`, `must be one of ${Object.keys(messages).join(', ')}`);
    }
    return read(item, path);
  },
  reasoning: (item) => said(readReasoningItem(item)),
  function_call: (item, path) => readCall(item, path, readString(item['arguments']) ?? ''),
  custom_tool_call: (item, path) =>
    readCall(item, path, JSON.stringify({ input: readString(item['input']) ?? '' })),
  function_call_output: readResult,
  custom_tool_call_output: readResult,
};

const hostedItem =
  'is not available for this model here: it belongs to a tool that runs at the vendor; leave the item out, or tell what it found as a message';

/** The conversation of an `input`: instructions at its beginning, and its turns. */
export function readInput(input: unknown): { system: TextPart[]; turns: Turn[] } {
  if (typeof input === 'string') {
    return { system: [], turns: [{ role: 'user', parts: [{ type: 'text', text: input }] }] };
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw invalid('input', 'must be a string or an array with at least one item');
  }
  const entries = input.flatMap((item: unknown, index) => readItem(item, `input[${index}]`));
  return conversationOf(joinNeighbours(entries));
}

function readItem(value: unknown, path: string): Entry[] {
  const item = readRecord(value);
  if (item === undefined) throw invalid(path, 'must be an object');
  // Messages may come without a type.
  const type = readText(item['type']) ?? 'message';
  const read = lookUp(items, type);
  if (read === undefined) throw unsupported(path, `of type "${type.slice(0, 64)}" ${hostedItem}`);
  return read(item, path);
}

function readSystem(item: Fields, path: string): Entry[] {
  return [{ kind: 'system', parts: readSystemContent(item['content'], `${path}.content`) }];
}

function readCall(item: Fields, path: string, argumentsText: string): Entry[] {
  const name = readText(item['name']);
  if (name === undefined) throw invalid(`${path}.name`, 'must be the name of a tool');
  const flat = flatName(readText(item['namespace']), name);
  return said([{ type: 'tool_call', id: callIdOf(item, path), name: flat, argumentsText }]);
}

function readResult(item: Fields, path: string): Entry[] {
  const result = {
    type: 'tool_result',
    callId: callIdOf(item, path),
    content: readOutput(item['output'], `${path}.output`),
    isError: false,
  } as const;
  return [{ kind: 'result', result }];
}

function callIdOf(item: Fields, path: string): string {
  const id = readText(item['call_id']);
  if (id === undefined) throw invalid(`${path}.call_id`, 'must be the id of a tool call');
  return id;
}

/** Thoughts, words and calls are items of their own here, and one message of the assistant elsewhere. */
function joinNeighbours(entries: readonly Entry[]): readonly Entry[] {
  const joined: Entry[] = [];
  let own: Part[] | undefined;
  for (const entry of entries) {
    if (entry.kind !== 'assistant') {
      own = undefined;
      joined.push(entry);
    } else if (own === undefined) {
      own = [...entry.parts];
      joined.push({ kind: 'assistant', parts: own });
    } else own.push(...entry.parts);
  }
  return joined;
}
