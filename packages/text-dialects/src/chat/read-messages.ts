import type { Fields } from '../json.ts';
import type { Part, TextPart, ToolResultPart, Turn } from '../neutral.ts';
import { isBlank, readRecord, readString, readText } from '../values.ts';
import { conversationOf } from './conversation.ts';
import type { Entry } from './pair-results.ts';
import { readAssistantMessage } from './read-assistant.ts';
import { readResultContent, readSystemContent, readUserContent } from './read-content.ts';
import { invalid } from './refuse.ts';

type ReadMessage = (message: Fields, path: string) => Entry[];

const readers: ReadonlyMap<string, ReadMessage> = new Map(
  Object.entries<ReadMessage>({
    system: readSystem,
    developer: readSystem,
    user: readUser,
    assistant: (message, path) => [
      { kind: 'assistant', parts: readAssistantMessage(message, path) },
    ],
    tool: readTool,
    // The legacy role names the function instead of the call.
    function: readTool,
  }),
);

/**
 * The conversation: instructions before it, then its turns with each tool's result right behind its
 * call.
 */
export function readMessages(value: unknown): { system: TextPart[]; turns: Turn[] } {
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid('messages', 'must be an array with at least one message');
  }
  const entries: Entry[] = [];
  value.forEach((item: unknown, index) => {
    const message = readRecord(item);
    const read = readers.get(readString(message?.['role']) ?? '');
    if (message === undefined || read === undefined) {
      throw invalid(`messages[${index}].role`, `must be one of ${[...readers.keys()].join(', ')}`);
    }
    for (const entry of read(message, `messages[${index}]`)) entries.push(entry);
  });
  return conversationOf(entries);
}

function readSystem(message: Fields, path: string): Entry[] {
  return [{ kind: 'system', parts: readSystemContent(message['content'], `${path}.content`) }];
}

/** Tool results among the parts come from clients that know the messages dialect. */
function readUser(message: Fields, path: string): Entry[] {
  const parts = named(
    readUserContent(message['content'], `${path}.content`),
    readText(message['name']),
  );
  if (!parts.some(({ type }) => type === 'tool_result')) return [{ kind: 'user', parts }];
  const results = parts.filter((part): part is ToolResultPart => part.type === 'tool_result');
  const rest = parts.filter(({ type }) => type !== 'tool_result');
  return [
    ...results.map((result): Entry => ({ kind: 'result', result })),
    ...(rest.length === 0 ? [] : [{ kind: 'user', parts: rest } as const]),
  ];
}

/** The other dialect knows no names of speakers. */
function named(parts: Part[], name: string | undefined): Part[] {
  const first = parts.findIndex((part) => part.type === 'text' && !isBlank(part.text));
  if (name === undefined || first < 0) return parts;
  return parts.map((part, index) =>
    index === first && part.type === 'text' ? { ...part, text: `${name}: ${part.text}` } : part,
  );
}

function readTool(message: Fields, path: string): Entry[] {
  const name = readText(message['name']);
  const result: ToolResultPart = {
    type: 'tool_result',
    callId: readString(message['tool_call_id']) ?? '',
    content: readResultContent(message['content'], `${path}.content`),
    isError: message['is_error'] === true,
  };
  return [name === undefined ? { kind: 'result', result } : { kind: 'result', result, name }];
}
