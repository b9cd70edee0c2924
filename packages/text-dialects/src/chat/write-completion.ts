import type { Completion, CompletionIdentity, CompletionMemory, ToolCallPart } from '../neutral.ts';
import { isBlank } from '../values.ts';
import { customInput } from './custom-input.ts';
import { chatCompletionId, chatFinishReason, chatUsage } from './finish-reasons.ts';

/** A whole answer as a chat completion. */
export function writeChatCompletion(
  answer: Completion,
  memory: CompletionMemory,
  identity: CompletionIdentity,
): Record<string, unknown> {
  const { legacyFunctions } = memory.completion;
  return {
    id: chatCompletionId(answer.id),
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    service_tier: 'default',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: messageOf(answer, memory),
        logprobs: null,
        finish_reason: chatFinishReason(answer.finish.reason, legacyFunctions),
      },
    ],
    usage: chatUsage(answer.usage),
  };
}

function messageOf(
  { parts, finish }: Completion,
  { completion: answer }: CompletionMemory,
): Record<string, unknown> {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const thoughts = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool_call');
  const [first] = calls;
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: finish.explanation ?? null,
    annotations: [],
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...(first !== undefined &&
      (answer.legacyFunctions
        ? { function_call: functionOf(first) }
        : { tool_calls: calls.map((call) => callOf(call, answer.customTools)) })),
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
