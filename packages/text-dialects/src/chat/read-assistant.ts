import type { Fields } from '../json.ts';
import type { Part, ReasoningPart, ToolCallPart } from '../neutral.ts';
import { readList, readRecord, readString, readText } from '../values.ts';
import { readAssistantContent } from './read-content.ts';
import { invalid, unsupported } from './refuse.ts';

/**
 * An assistant message: thoughts first, then what it said, then its calls. A call without an id
 * keeps the empty one.
 */
export function readAssistantMessage(message: Fields, path: string): Part[] {
  if ((message['audio'] ?? undefined) !== undefined) {
    throw unsupported(
      `${path}.audio`,
      'is not available with this model: send the words that were spoken as content',
    );
  }
  const content = readAssistantContent(message['content'], `${path}.content`);
  const refusal = readText(message['refusal']);
  return [
    // Blocks of the messages dialect already hold the thoughts, in their places.
    ...(content.some(({ type }) => type === 'reasoning') ? [] : readThoughts(message)),
    ...content,
    ...(refusal === undefined ? [] : [{ type: 'text', text: refusal } as const]),
    ...readToolCalls(message['tool_calls'], `${path}.tool_calls`),
    ...readFunctionCall(message['function_call'], `${path}.function_call`),
  ];
}

/** Only one of the spellings is read: vendors that use two repeat themselves. */
function readThoughts(message: Fields): ReasoningPart[] {
  const proven = [message['thinking_blocks'], message['reasoning_details']]
    .map(provenThoughts)
    .find((thoughts) => thoughts.length > 0);
  if (proven !== undefined) return proven;
  const text =
    readText(message['reasoning_content']) ??
    readText(message['reasoning']) ??
    readText(message['thinking']);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}

/**
 * Signed thoughts as clients and proxies carry them beside the content. Clients that keep a stream's
 * fragments as they came have the text in pieces, the signature in the last.
 */
function provenThoughts(value: unknown): ReasoningPart[] {
  let begun = '';
  return (readList(value) ?? []).flatMap((item): ReasoningPart[] => {
    const thought = readRecord(item) ?? {};
    // OpenRouter names whose signature it is; that of another vendor is refused by this one.
    if (!/^anthropic/.test(readText(thought['format']) ?? 'anthropic')) return [];
    const text = begun + (readString(thought['thinking'] ?? thought['text']) ?? '');
    const proven = provenThought(thought, text);
    begun = proven === undefined ? text : '';
    return proven === undefined ? [] : [proven];
  });
}

function provenThought(thought: Fields, text: string): ReasoningPart | undefined {
  if (thought['type'] === 'redacted_thinking' || thought['type'] === 'reasoning.encrypted') {
    return { type: 'reasoning', text: '', redacted: readString(thought['data']) ?? '' };
  }
  const signature = readText(thought['signature']);
  return signature === undefined ? undefined : { type: 'reasoning', text, signature };
}

function readToolCalls(value: unknown, path: string): ToolCallPart[] {
  if (value === null || value === undefined) return [];
  const list = readList(value);
  if (list === undefined) throw invalid(path, 'must be an array');
  return list.map((item, index) => {
    const call = readRecord(item) ?? {};
    const custom = readRecord(call['custom']);
    const id = readString(call['id']) ?? '';
    if (custom !== undefined) {
      return {
        type: 'tool_call',
        id,
        name: nameOf(custom, `${path}[${index}].custom`),
        argumentsText: JSON.stringify({ input: readString(custom['input']) ?? '' }),
      };
    }
    // A flat call, without the inner object, comes from clients of the vendor's newer interface.
    const body = readRecord(call['function']) ?? call;
    const name = nameOf(body, `${path}[${index}].function`);
    return { type: 'tool_call', id, name, argumentsText: argumentsOf(body) };
  });
}

function readFunctionCall(value: unknown, path: string): ToolCallPart[] {
  const call = readRecord(value);
  return call === undefined
    ? []
    : [{ type: 'tool_call', id: '', name: nameOf(call, path), argumentsText: argumentsOf(call) }];
}

function nameOf(body: Fields, path: string): string {
  const name = readText(body['name']);
  if (name === undefined) throw invalid(`${path}.name`, 'must be the name of a tool');
  return name;
}

/** Some clients send the object itself where the dialect has a text. */
function argumentsOf(body: Fields): string {
  const value = body['arguments'];
  return readString(value) ?? (value === null || value === undefined ? '' : JSON.stringify(value));
}
