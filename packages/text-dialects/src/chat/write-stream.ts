import type {
  CompletionIdentity,
  CompletionMemory,
  Source,
  StreamWriter,
  TextEvent,
  Usage,
} from '../neutral.ts';
import { writeFailureEvent } from '../wire/write-failure.ts';
import { chatCompletionId, chatFinishReason, chatUsage } from './finish-reasons.ts';
import { annotationsOf } from './sources.ts';
import { createCallWriter } from './write-stream-calls.ts';
import { createThoughtWriter } from './write-thoughts.ts';

interface Options {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
}

/**
 * The text of chunks that differ in their delta only: what is the same on each is put together
 * once.
 */
interface Chunks {
  readonly delta: (delta: string, finishReason?: string) => string;
  readonly text: (text: string) => string;
  readonly reasoning: (literal: string, detail: string) => string;
  readonly usage: (usage: Usage) => string;
}

/**
 * Writes a completion as the chunks of the chat dialect. A stream that fails ends with one error and
 * without `[DONE]`, which naive clients take for success.
 */
export function createChatStreamWriter({ memory, identity }: Options): StreamWriter {
  let writer: CompletionWriter | undefined;
  let over = false;
  const open = (id: string): string => {
    if (writer !== undefined) return '';
    writer = createCompletionWriter(
      createChunks({
        id: chatCompletionId(id),
        identity,
        includeUsage: memory.completion.includeUsage,
      }),
      memory,
    );
    return writer.beginning;
  };
  return {
    write(event) {
      if (over) return '';
      over = event.type === 'end' || event.type === 'failure';
      if (event.type === 'start') return open(event.id);
      if (event.type === 'failure') {
        return writeFailureEvent({ dialect: 'chat', failure: event.failure });
      }
      const beginning = open(writer === undefined ? identity.newSuffix() : '');
      return beginning + (writer?.write(event) ?? '');
    },
  };
}

interface CompletionWriter {
  readonly beginning: string;
  readonly write: (event: TextEvent) => string;
}

type Writers = {
  readonly [Type in TextEvent['type']]?: (event: Extract<TextEvent, { type: Type }>) => string;
};

function createCompletionWriter(
  chunks: Chunks,
  { completion: requested }: CompletionMemory,
): CompletionWriter {
  const calls = createCallWriter(requested, chunks.delta);
  const thoughts = createThoughtWriter();
  const sources: Source[] = [];
  let usage = '';
  let textLength = 0;
  const writers: Writers = {
    text({ text }) {
      textLength += text.length;
      return chunks.text(text);
    },
    source({ source }) {
      sources.push(source);
      return '';
    },
    reasoning({ text }) {
      const literal = JSON.stringify(text);
      return chunks.reasoning(literal, thoughts.text(text, literal));
    },
    reasoning_signature: ({ signature }) => chunks.delta(`{${thoughts.sign(signature)}}`),
    reasoning_redacted: ({ data }) => chunks.delta(`{${thoughts.redacted(data)}}`),
    tool_start: ({ id, name }) => calls.start(id, name),
    tool_arguments: ({ text }) => calls.arguments(text),
    tool_end: calls.end,
    usage(event) {
      usage = requested.includeUsage ? chunks.usage(event.usage) : '';
      return '';
    },
    finish({ finish: { reason, explanation } }) {
      // Lists go out once and whole: clients keep the last of a field, or add them up.
      const last = [
        explanation === undefined ? '' : `"refusal":${JSON.stringify(explanation)}`,
        thoughts.blocks(),
        sources.length === 0
          ? ''
          : `"annotations":${JSON.stringify(annotationsOf(sources, textLength))}`,
      ].filter((field) => field !== '');
      const rest = last.length === 0 ? '' : chunks.delta(`{${last.join(',')}}`);
      return rest + chunks.delta('{}', chatFinishReason(reason, requested.legacyFunctions));
    },
    end: () => `${usage}data: [DONE]\n\n`,
  };
  return {
    beginning: chunks.delta('{"role":"assistant","content":""}'),
    write: (event) =>
      (writers[event.type] as ((given: TextEvent) => string) | undefined)?.(event) ?? '',
  };
}

function createChunks({
  id,
  identity,
  includeUsage,
}: {
  id: string;
  identity: CompletionIdentity;
  includeUsage: boolean;
}): Chunks {
  const head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${identity.created},"model":${JSON.stringify(identity.model)}`;
  const beforeDelta = `${head},"choices":[{"index":0,"delta":`;
  const tail = `}]${includeUsage ? ',"usage":null' : ''}}\n\n`;
  const afterDelta = `,"logprobs":null,"finish_reason":null${tail}`;
  const beforeText = `${beforeDelta}{"content":`;
  const beforeReasoning = `${beforeDelta}{"reasoning_content":`;
  const afterText = `}${afterDelta}`;
  return {
    delta: (delta, finishReason) =>
      beforeDelta +
      delta +
      (finishReason === undefined
        ? afterDelta
        : `,"logprobs":null,"finish_reason":"${finishReason}"${tail}`),
    text: (text) => beforeText + JSON.stringify(text) + afterText,
    reasoning: (literal, detail) => `${beforeReasoning}${literal},${detail}${afterText}`,
    usage: (usage) => `${head},"choices":[],"usage":${JSON.stringify(chatUsage(usage))}}\n\n`,
  };
}
