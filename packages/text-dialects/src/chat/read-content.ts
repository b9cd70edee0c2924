import { type Fields, lookUp } from '../json.ts';
import type {
  CacheControl,
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import { known, readList, readRecord, readString, readText } from '../values.ts';
import { readFile, readImageUrl, readSourceBlock } from './read-media.ts';
import { invalid, unsupported } from './refuse.ts';

/**
 * Pieces of a message: the chat dialect's own, and those of the messages dialect that some clients
 * mix in.
 */
export type ReadPart = (part: Fields, path: string) => Part;

export const textOf = (part: Fields): TextPart => ({
  type: 'text',
  text: readString(part['text']) ?? '',
});

const shownParts: Readonly<Record<string, ReadPart>> = {
  text: textOf,
  input_text: textOf,
  image_url: readImageUrl,
  input_image: readImageUrl,
  file: readFile,
  input_file: readFile,
  image: readSourceBlock,
  document: readSourceBlock,
};

const userParts: Readonly<Record<string, ReadPart>> = {
  ...shownParts,
  tool_result: readToolResult,
};

const assistantParts: Readonly<Record<string, ReadPart>> = {
  text: textOf,
  output_text: textOf,
  refusal: (part) => ({ type: 'text', text: readString(part['refusal']) ?? '' }),
  thinking: readThinking,
  reasoning: readThinking,
  redacted_thinking: (part) => ({
    type: 'reasoning',
    text: '',
    redacted: readString(part['data']) ?? '',
  }),
  tool_use: readToolUse,
};

const systemParts: Readonly<Record<string, ReadPart>> = { text: textOf, input_text: textOf };

/** Each reader takes a message's `content` as it came: a string, a list of parts, or nothing. */
export const readUserContent = (content: unknown, path: string): Part[] =>
  readParts(content, path, userParts);
export const readAssistantContent = (content: unknown, path: string): Part[] =>
  readParts(content, path, assistantParts);
export const readSystemContent = (content: unknown, path: string): TextPart[] =>
  readParts(content, path, systemParts) as TextPart[];
export const readResultContent = (content: unknown, path: string): ToolResultPart['content'] =>
  readParts(content, path, shownParts) as (TextPart | ImagePart | DocumentPart)[];

/** The parts of a content that is a string, a list, or nothing; `readers` knows their types. */
export function readParts(
  content: unknown,
  path: string,
  readers: Readonly<Record<string, ReadPart>>,
): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list = readList(content);
  if (list === undefined) throw invalid(path, 'must be a string or an array of parts');
  return list.map((item, index) => readPart(item, `${path}[${index}]`, readers));
}

function readPart(item: unknown, path: string, readers: Readonly<Record<string, ReadPart>>): Part {
  if (typeof item === 'string') return { type: 'text', text: item };
  const part = readRecord(item);
  const type = readText(part?.['type']);
  if (part === undefined || type === undefined) {
    throw invalid(path, 'must be an object with a type');
  }
  const read = lookUp(readers, type);
  if (read === undefined) {
    throw unsupported(
      path,
      `of type "${type.slice(0, 64)}" is not available for this model here; use ${Object.keys(readers).join(', ')}`,
    );
  }
  const cacheControl = readCacheControl(part['cache_control']);
  const result = read(part, path);
  return cacheControl === undefined || result.type === 'reasoning'
    ? result
    : { ...result, cacheControl };
}

/** Clients that know the messages dialect mark cache breakpoints also on the chat route. */
export function readCacheControl(value: unknown): CacheControl | undefined {
  const field = readRecord(value);
  const type = readText(field?.['type']);
  return type === undefined ? undefined : { type, ...known({ ttl: readText(field?.['ttl']) }) };
}

/** Mistral writes the thoughts as a list of texts. */
function readThinking(part: Fields): ReasoningPart {
  const thoughts = part['thinking'] ?? part['text'];
  const text =
    readString(thoughts) ??
    (readList(thoughts) ?? []).map((item) => readString(readRecord(item)?.['text']) ?? '').join('');
  return { type: 'reasoning', text, ...known({ signature: readText(part['signature']) }) };
}

function readToolUse(part: Fields, path: string): ToolCallPart {
  const name = readText(part['name']);
  if (name === undefined) throw invalid(`${path}.name`, 'must be the name of a tool');
  return {
    type: 'tool_call',
    id: readString(part['id']) ?? '',
    name,
    argumentsText: JSON.stringify(part['input'] ?? {}),
  };
}

function readToolResult(part: Fields, path: string): ToolResultPart {
  return {
    type: 'tool_result',
    callId: readString(part['tool_use_id']) ?? '',
    content: readResultContent(part['content'], `${path}.content`),
    isError: part['is_error'] === true,
  };
}
