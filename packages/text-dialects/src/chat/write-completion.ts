import type { Completion, CompletionIdentity, CompletionMemory, ToolCallPart } from '../neutral.ts';
import { isBlank } from '../values.ts';
import { customInput } from './custom-input.ts';
import { chatCompletionId, chatFinishReason, chatUsage, serviceTierOf } from './finish-reasons.ts';
import { annotationsOf, sourcesOf } from './sources.ts';
import { writeThoughts } from './write-thoughts.ts';

/** A whole completion as a chat completion. */
export function writeChatCompletion(
  completion: Completion,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): Record<string, unknown> {
  const { legacyFunctions } = memory.completion;
  return {
    id: chatCompletionId(completion.id),
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    ...serviceTierOf(completion.usage),
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: messageOf(completion, memory),
        logprobs: null,
        finish_reason: chatFinishReason(completion.finish.reason, legacyFunctions),
      },
    ],
    usage: chatUsage(completion.usage),
  };
}

function messageOf(
  { parts, finish }: Completion,
  { completion }: CompletionMemory,
): Record<string, unknown> {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const thoughts = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool_call');
  const [first] = calls;
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: finish.explanation ?? null,
    annotations: annotationsOf(sourcesOf(parts), text.length),
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...writeThoughts(parts.filter((part) => part.type === 'reasoning')),
    ...(first !== undefined &&
      (completion.legacyFunctions
        ? { function_call: functionOf(first) }
        : { tool_calls: calls.map((call) => callOf(call, completion.customTools)) })),
  };
}

function callOf(call: ToolCallPart, customTools: readonly string[]): Record<string, unknown> {
  if (customTools.includes(call.name)) {
    return {
      id: call.id,
      type: 'custom',
      custom: { name: call.name, input: customInput(call.argumentsText) },
    };
  }
  return { id: call.id, type: 'function', function: functionOf(call) };
}

/** Clients break on an empty text where they expect JSON. */
const functionOf = ({ name, argumentsText }: ToolCallPart): Record<string, unknown> => ({
  name,
  arguments: isBlank(argumentsText) ? '{}' : argumentsText,
});
