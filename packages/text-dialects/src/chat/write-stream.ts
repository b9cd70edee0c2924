import type {
  CompletionIdentity,
  CompletionMemory,
  StreamWriter,
  TextEvent,
  Usage,
} from '../neutral.ts';
import { writeFailureEvent } from '../wire/write-failure.ts';
import { chatCompletionId, chatFinishReason, chatUsage } from './finish-reasons.ts';
import { createCallWriter } from './write-stream-calls.ts';

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
  readonly reasoning: (text: string) => string;
  readonly usage: (usage: Usage) => string;
}

/**
 * Writes an answer as the chunks of the chat dialect. A stream that fails ends with one error and
 * without `[DONE]`, which naive clients take for success.
 */
export function createChatStreamWriter({ memory, identity }: Options): StreamWriter {
  let answer: CompletionWriter | undefined;
  let over = false;
  const open = (id: string): string => {
    if (answer !== undefined) return '';
    answer = createCompletionWriter(
      createChunks({
        id: chatCompletionId(id),
        identity,
        includeUsage: memory.completion.includeUsage,
      }),
      memory,
    );
    return answer.beginning;
  };
  return {
    write(event) {
      if (over) return '';
      over = event.type === 'end' || event.type === 'failure';
      if (event.type === 'start') return open(event.id);
      if (event.type === 'failure') {
        return writeFailureEvent({ dialect: 'chat', failure: event.failure });
      }
      const beginning = open(answer === undefined ? identity.newSuffix() : '');
      return beginning + (answer?.write(event) ?? '');
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
  { completion: wishes }: CompletionMemory,
): CompletionWriter {
  const calls = createCallWriter(wishes, chunks.delta);
  let usage = '';
  const writers: Writers = {
    text: ({ text }) => chunks.text(text),
    reasoning: ({ text }) => chunks.reasoning(text),
    tool_start: ({ id, name }) => calls.start(id, name),
    tool_arguments: ({ text }) => calls.arguments(text),
    tool_end: calls.end,
    usage(event) {
      usage = wishes.includeUsage ? chunks.usage(event.usage) : '';
      return '';
    },
    finish({ finish: { reason, explanation } }) {
      const refusal =
        explanation === undefined ? '' : chunks.delta(`{"refusal":${JSON.stringify(explanation)}}`);
      return refusal + chunks.delta('{}', chatFinishReason(reason, wishes.legacyFunctions));
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
    reasoning: (text) => beforeReasoning + JSON.stringify(text) + afterText,
    usage: (usage) => `${head},"choices":[],"usage":${JSON.stringify(chatUsage(usage))}}\n\n`,
  };
}
