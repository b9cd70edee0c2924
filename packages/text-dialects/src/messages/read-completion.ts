import { type Fields, isFields, lookUp } from '../json.ts';
import type { Completion, CompletionIdentity, CompletionMemory, Source } from '../neutral.ts';
import { known, readList, readString, readText } from '../values.ts';
import { failureIn, unreadable, UpstreamFailureError } from '../upstream-failure.ts';
import { readFinish, readUsage } from './read-finish.ts';
import { createSourceList, isResultBlock, resultSources, sourceOf } from './sources.ts';
import { createFenceTrimmer } from './trim-fence.ts';

type CompletionPart = Completion['parts'][number];

/**
 * A whole message of a messages upstream. Throws `UpstreamFailureError` for an error object, and
 * for what is no message.
 */
export function readMessagesCompletion(
  body: unknown,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): Completion {
  const message = isFields(body) ? body : {};
  const failure = failureIn(message);
  if (failure !== undefined) throw new UpstreamFailureError(failure);
  const content = readList(message['content']);
  if (content === undefined) {
    throw new UpstreamFailureError(
      unreadable('The upstream returned something that is not a message.'),
    );
  }
  const blocks = content.filter(isFields);
  const read = withUncited(
    blocks.flatMap((block) => readBlock(block, memory, identity)),
    blocks,
  );
  const finish = readFinish(message, read.filter(({ type }) => type === 'tool_call').length);
  const complete = finish.reason !== 'length' && finish.reason !== 'context_window';
  return {
    id: readText(message['id']) ?? `msg_${identity.newSuffix()}`,
    parts: trimmed(read, memory, complete),
    finish,
    usage: readUsage(
      message['usage'],
      memory,
      read.reduce((sum, part) => sum + lengthOf(part), 0),
    ),
  };
}

type ReadBlock = (
  block: Fields,
  memory: CompletionMemory,
  identity: CompletionIdentity,
) => CompletionPart[];

/** Blocks that the client's dialect can say; tools that ran at the vendor are none of them. */
const blockReaders: Readonly<Record<string, ReadBlock>> = {
  text: (block) => textParts(readString(block['text']), citedSources(block)),
  thinking: (block) => [
    {
      type: 'reasoning',
      text: readString(block['thinking']) ?? '',
      ...known({ signature: readText(block['signature']) }),
    },
  ],
  redacted_thinking: (block) => [
    { type: 'reasoning', text: '', redacted: readString(block['data']) ?? '' },
  ],
  tool_use: readToolUse,
};

const readBlock: ReadBlock = (block, memory, identity) =>
  lookUp(blockReaders, readText(block['type']) ?? '')?.(block, memory, identity) ?? [];

const textParts = (text: string | undefined, sources: readonly Source[] = []): CompletionPart[] =>
  text === undefined || text === ''
    ? []
    : [
        {
          type: 'text',
          text,
          ...(sources.length > 0 && {
            sources: sources.map((source) => ({ ...source, from: 0, to: text.length })),
          }),
        },
      ];

const citedSources = ({ citations }: Fields): readonly Source[] =>
  (readList(citations) ?? []).flatMap((citation) => sourceOf(citation) ?? []);

/** What tools of the vendor found and no text cites belongs to the last text. */
function withUncited(
  parts: readonly CompletionPart[],
  content: readonly Fields[],
): readonly CompletionPart[] {
  const list = createSourceList();
  for (const block of content) {
    if (isResultBlock(block)) list.found(resultSources(block));
  }
  for (const part of parts) if (part.type === 'text') part.sources?.forEach(list.cite);
  const uncited = list.uncited();
  const last = parts.findLast((part) => part.type === 'text');
  if (uncited.length === 0 || last === undefined) return parts;
  return parts.map((part) =>
    part === last ? { ...last, sources: [...(last.sources ?? []), ...uncited] } : part,
  );
}

function readToolUse(
  block: Fields,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): CompletionPart[] {
  const name = readText(block['name']);
  if (name === undefined) return [];
  const input = block['input'] ?? {};
  const argumentsText = typeof input === 'string' ? input : JSON.stringify(input);
  if (name === memory.structuredTool) return textParts(argumentsText);
  return [
    {
      type: 'tool_call',
      id: readText(block['id']) ?? `call_${identity.newSuffix()}`,
      name: lookUp(memory.toolNames, name) ?? name,
      argumentsText,
    },
  ];
}

/** The fence goes around all its texts. */
function trimmed(
  parts: readonly CompletionPart[],
  { jsonText }: CompletionMemory,
  complete: boolean,
): CompletionPart[] {
  if (jsonText !== true) return [...parts];
  const trimmer = createFenceTrimmer();
  const text =
    trimmer.push(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')) +
    trimmer.end(complete);
  return [
    ...parts.filter(({ type }) => type === 'reasoning'),
    ...textParts(text),
    ...parts.filter(({ type }) => type === 'tool_call'),
  ];
}

const lengthOf = (part: CompletionPart): number =>
  part.type === 'tool_call' ? part.argumentsText.length : part.text.length;
