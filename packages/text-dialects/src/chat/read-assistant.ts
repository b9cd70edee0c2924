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
  // Blocks of the messages dialect already hold the thoughts, in their places.
  const hasThoughts = content.some(({ type }) => type === 'reasoning');
  const parts: Part[] = hasThoughts ? content : [...readThoughts(message), ...content];
  if (refusal !== undefined) parts.push({ type: 'text', text: refusal });
  for (const call of readToolCalls(message['tool_calls'], path)) parts.push(call);
  for (const call of readFunctionCall(message['function_call'], path)) parts.push(call);
  return parts;
}

/** Only one of the spellings is read: vendors that use two repeat themselves. */
function readThoughts(message: Fields): ReasoningPart[] {
  const blocks = provenThoughts(message['thinking_blocks']);
  if (blocks.length > 0) return blocks;
  const details = provenThoughts(message['reasoning_details']);
  if (details.length > 0) return details;
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
  const list = readList(value);
  if (list === undefined) return [];
  let begun = '';
  return list.flatMap((item): ReasoningPart[] => {
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
  if (list === undefined) throw invalid(`${path}.tool_calls`, 'must be an array');
  return list.map((item, index) => {
    const call = readRecord(item) ?? {};
    const custom = readRecord(call['custom']);
    const id = readString(call['id']) ?? '';
    if (custom !== undefined) {
      return {
        type: 'tool_call',
        id,
        name: nameOf(custom, `${path}.tool_calls[${index}].custom`),
        argumentsText: JSON.stringify({ input: readString(custom['input']) ?? '' }),
      };
    }
    // A flat call, without the inner object, comes from clients of the vendor's newer interface.
    const body = readRecord(call['function']) ?? call;
    const name = readText(body['name']) ?? nameOf(body, `${path}.tool_calls[${index}].function`);
    return { type: 'tool_call', id, name, argumentsText: argumentsOf(body) };
  });
}

function readFunctionCall(value: unknown, path: string): ToolCallPart[] {
  const call = readRecord(value);
  return call === undefined
    ? []
    : [
        {
          type: 'tool_call',
          id: '',
          name: nameOf(call, `${path}.function_call`),
          argumentsText: argumentsOf(call),
        },
      ];
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
