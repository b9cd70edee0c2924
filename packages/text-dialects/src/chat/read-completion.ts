import { estimateTextTokens } from '../estimate.ts';
import { type Fields, isFields, lookUp, wordsOf } from '../json.ts';
import type {
  Completion,
  CompletionIdentity,
  CompletionMemory,
  ReasoningPart,
  Source,
  TextPart,
  ToolCallPart,
  Usage,
} from '../neutral.ts';
import { failureIn, failureOfBody, unreadable, UpstreamFailureError } from '../upstream-failure.ts';
import { chatUsageIn } from '../wire/usage.ts';
import { failureOfChoice, finishOfChoice } from './finish.ts';
import { readWords, type Words } from './read-words.ts';
import { readSources, withSources } from './sources.ts';
import { createThinkTagSplitter } from './think-tags.ts';
import { normaliseArguments } from './tool-arguments.ts';
import { newToolId } from './tool-ids.ts';
import { markVendorSignature } from './vendor-signature.ts';

/**
 * A whole completion of the chat dialect. Throws `UpstreamFailureError` for a failure that came with
 * status 200, and for anything that is no completion.
 */
export function readChatCompletion(
  body: unknown,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): Completion {
  if (!isFields(body)) {
    throw new UpstreamFailureError(
      unreadable('The upstream returned something that is not a JSON object.'),
    );
  }
  const choice = choiceOf(body);
  const failure =
    failureIn(body) ?? (choice === undefined ? failureOfBody(body) : failureOfChoice(choice));
  if (failure !== undefined) throw new UpstreamFailureError(failure);
  return readChoice(choice ?? {}, { body, memory, identity });
}

function readChoice(
  choice: Fields,
  {
    body,
    memory,
    identity,
  }: { body: Fields; memory: CompletionMemory; identity: CompletionIdentity },
): Completion {
  const message = isFields(choice['message']) ? choice['message'] : {};
  const words = readWords(message);
  const calls = readCalls(message, { memory, identity });
  const parts = [...readThoughts(words, memory, readSources(message, body)), ...calls];
  const finish = finishOfChoice(
    choice,
    { calls: calls.length, refusal: words.refusal },
    memory,
  ) ?? { reason: calls.length > 0 ? 'tool_calls' : 'stop' };
  return {
    id: wordsOf(body['id']) ?? '',
    parts,
    finish,
    usage: chatUsageIn(body) ?? estimateUsage(parts, memory),
  };
}

function choiceOf(body: Fields): Fields | undefined {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return choices.filter(isFields).find(({ index }) => (index ?? 0) === 0);
}

function readThoughts(
  words: Words,
  { thinkTags }: CompletionMemory,
  sources: readonly Source[],
): readonly (ReasoningPart | TextPart)[] {
  const { reasoning, text } = thinkTags === true ? splitTags(words) : words;
  const thought =
    reasoning === '' && words.signature === undefined
      ? []
      : [
          {
            type: 'reasoning' as const,
            text: reasoning,
            ...(words.signature !== undefined && {
              signature: markVendorSignature(words.signature),
            }),
          },
        ];
  const hidden =
    words.redacted === undefined
      ? []
      : [{ type: 'reasoning' as const, text: '', redacted: words.redacted }];
  const refusal: readonly TextPart[] =
    words.refusal === '' ? [] : [{ type: 'text', text: words.refusal, isRefusal: true }];
  return [...thought, ...hidden, ...(text === '' ? [] : [withSources(text, sources)]), ...refusal];
}

function splitTags({ reasoning, text }: Words): { reasoning: string; text: string } {
  const splitter = createThinkTagSplitter();
  const [first, rest] = [splitter.push(text), splitter.flush()];
  return {
    reasoning: `${reasoning}${first.reasoning}${rest.reasoning}`,
    text: `${first.text}${rest.text}`,
  };
}

function readCalls(
  message: Fields,
  { memory, identity }: { memory: CompletionMemory; identity: CompletionIdentity },
): readonly ToolCallPart[] {
  const listed = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isFields) : [];
  const calls =
    listed.length === 0 && isFields(message['function_call'])
      ? [{ function: message['function_call'] }]
      : listed;
  const taken = new Set<string>();
  return calls.flatMap((call: Fields): ToolCallPart[] => {
    const named = isFields(call['function']) ? call['function'] : call;
    const name = wordsOf(named['name']);
    if (name === undefined) return [];
    const id = newToolId(call, { taken, identity });
    return [
      {
        type: 'tool_call',
        id,
        name: lookUp(memory.toolNames, name) ?? name,
        argumentsText: normaliseArguments(named['arguments']),
      },
    ];
  });
}

/** Figures of our own for an upstream that reports none. */
function estimateUsage(parts: Completion['parts'], { inputEstimate }: CompletionMemory): Usage {
  const outputTokens = parts.reduce(
    (sum, part) =>
      sum +
      estimateTextTokens(part.type === 'tool_call' ? part.name + part.argumentsText : part.text),
    0,
  );
  return {
    inputTokens: inputEstimate,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens,
    reasoningTokens: 0,
    estimated: true,
  };
}
