import { type Fields, isFields, parseJson, wordsOf } from '../json.ts';
import type {
  DocumentPart,
  ImagePart,
  MediaSource,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import {
  cannotCarry,
  readCacheControl,
  readName,
  readObject,
  readString,
  refuse,
  withCacheControl,
} from './read-fields.ts';
import { serverBlockText } from './server-blocks.ts';

/** What a user may show: in a turn of theirs and inside a tool's result. */
type ShownPart = TextPart | ImagePart | DocumentPart;

export const textPart = (text: string): TextPart => ({ type: 'text', text });

/** Parts of a turn's `content`. Empty texts say nothing and are left out. */
export function readContent(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return readBlocks(content, path, readBlock).filter(saysSomething);
}

const saysSomething = (part: Part): boolean => part.type !== 'text' || part.text !== '';

type ReadBlock<Read extends Part> = (block: Fields, at: string) => readonly Read[];

/** Loops and maps: a conversation has thousands of blocks, and each `flatMap` costs microseconds. */
function readBlocks<Read extends Part>(
  content: unknown,
  path: string,
  read: ReadBlock<Read>,
): readonly Read[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) throw refuse(path, 'must be a string or an array of content blocks');
  const found: Read[] = [];
  for (let index = 0; index < content.length; index += 1) {
    const at = `${path}[${index}]`;
    for (const part of read(readObject(content[index], at), at)) found.push(part);
  }
  return found;
}

const blockReaders: ReadonlyMap<string, ReadBlock<Part>> = new Map<string, ReadBlock<Part>>([
  ['tool_use', readToolUse],
  ['tool_result', readToolResult],
  [
    'thinking',
    (block, at) => {
      const text = readString(block['thinking'] ?? '', at, '.thinking');
      const signature = wordsOf(block['signature']);
      return [{ type: 'reasoning', text, ...(signature !== undefined && { signature }) }];
    },
  ],
  [
    'redacted_thinking',
    (block) => [{ type: 'reasoning', text: '', redacted: wordsOf(block['data']) ?? '' }],
  ],
  [
    'container_upload',
    (_block, at) => {
      throw cannotCarry(
        at,
        'uploaded files are not available with this model; send the content itself',
      );
    },
  ],
]);

function readBlock(block: Fields, at: string): readonly Part[] {
  const type = readName(block['type'], at, '.type');
  const read = shownReaders.get(type) ?? blockReaders.get(type);
  if (read !== undefined) return read(block, at);
  const folded = serverBlockText(type, block);
  return folded === '' ? [] : [textPart(folded)];
}

const shownReaders: ReadonlyMap<string, ReadBlock<ShownPart>> = new Map(
  Object.entries<ReadBlock<ShownPart>>({
    text: (block, at) => [
      withCacheControl(textPart(readString(block['text'], at, '.text')), block),
    ],
    image: (block, at) => [
      {
        type: 'image',
        source: readMediaSource(block['source'], { at: `${at}.source`, what: 'image' }),
        ...readCacheControl(block),
      },
    ],
    document: readDocument,
    search_result: (block) => [textPart(searchResultText(block))],
    tool_reference: (block) => [
      textPart(
        `[tool ${wordsOf(block['tool_name']) ?? wordsOf(block['name']) ?? ''} is available]`,
      ),
    ],
  }),
);

function readMediaSource(value: unknown, { at, what }: { at: string; what: string }): MediaSource {
  const source = readObject(value, at);
  if (source['type'] === 'base64') {
    return {
      kind: 'base64',
      mediaType: readName(source['media_type'], `${at}.media_type`),
      data: readName(source['data'], `${at}.data`),
    };
  }
  if (source['type'] === 'url') return { kind: 'url', url: readName(source['url'], `${at}.url`) };
  if (source['type'] === 'file') {
    throw cannotCarry(
      at,
      `an uploaded ${what} is not available with this model; send it as base64 or url`,
    );
  }
  throw refuse(`${at}.type`, 'must be base64 or url');
}

function readDocument(block: Fields, at: string): readonly ShownPart[] {
  const [title, context] = [wordsOf(block['title']), wordsOf(block['context'])];
  const frame = {
    ...(title !== undefined && { title }),
    ...(context !== undefined && { context }),
    ...readCacheControl(block),
  };
  const source = readObject(block['source'], `${at}.source`);
  const whole = (text: string): DocumentPart => ({
    type: 'document',
    source: { kind: 'text', text },
    ...frame,
  });
  if (source['type'] === 'text') return [whole(readString(source['data'], `${at}.source.data`))];
  if (source['type'] === 'content') {
    const shown = readShown(source['content'], `${at}.source.content`);
    return [
      whole(
        shown
          .filter((part) => part.type === 'text')
          .map(({ text }) => text)
          .join('\n'),
      ),
      ...shown.filter((part) => part.type !== 'text'),
    ];
  }
  return [
    {
      type: 'document',
      source: readMediaSource(source, { at: `${at}.source`, what: 'document' }),
      ...frame,
    },
  ];
}

function searchResultText(block: Fields): string {
  const texts = Array.isArray(block['content'])
    ? block['content'].map((part: unknown) => (isFields(part) ? wordsOf(part['text']) : undefined))
    : [];
  return [wordsOf(block['title']), wordsOf(block['source']), ...texts]
    .filter((line) => line !== undefined)
    .join('\n');
}

/**
 * What stands inside a tool's result or a document; a block of any other kind is shown as its JSON.
 */
function readShown(content: unknown, path: string): readonly ShownPart[] {
  if (typeof content === 'string') return [textPart(content)];
  return readBlocks(content, path, (block, at) => {
    const read = shownReaders.get(readName(block['type'], at, '.type'));
    return read === undefined ? [textPart(JSON.stringify(block))] : read(block, at);
  });
}

function readToolUse(block: Fields, at: string): readonly Part[] {
  const call: ToolCallPart = {
    type: 'tool_call',
    id: readName(block['id'], at, '.id'),
    name: readName(block['name'], at, '.name'),
    argumentsText: readInput(block['input'], at),
  };
  return [withCacheControl(call, block)];
}

/** Some clients store the streamed arguments as the text they were. */
function readInput(input: unknown, at: string): string {
  if (input === undefined || input === null || input === '') return '{}';
  if (isFields(input)) return JSON.stringify(input);
  if (typeof input === 'string' && isFields(parseJson(input))) return input;
  throw refuse(`${at}.input`, 'must be an object');
}

function readToolResult(block: Fields, at: string): readonly ToolResultPart[] {
  const result: ToolResultPart = {
    type: 'tool_result',
    callId: readName(block['tool_use_id'], at, '.tool_use_id'),
    content: readShown(block['content'], `${at}.content`).filter(saysSomething),
    isError: block['is_error'] === true,
  };
  return [withCacheControl(result, block)];
}
