import type { Completion, CompletionIdentity, CompletionMemory, Usage } from '../neutral.ts';
import { isFields, parseJson } from '../json.ts';
import { messageId, signatureOf } from './marker.ts';
import { stopFields } from './stop-reason.ts';
import { toolInput } from './tool-input.ts';

/** A whole answer as a client of the messages dialect expects it, every field present. */
export function writeMessagesCompletion(
  answer: Completion,
  _memory: CompletionMemory,
  identity: CompletionIdentity,
): Record<string, unknown> {
  const calls = answer.parts.filter((part) => part.type === 'tool_call').length;
  return {
    id: messageId(answer.id, identity.newSuffix),
    type: 'message',
    role: 'assistant',
    model: identity.model,
    content: answer.parts.flatMap((part) => writePart(part, answer)),
    ...stopFields(answer.finish, calls),
    usage: writeUsage(answer.usage),
  };
}

type AnswerPart = Completion['parts'][number];

function writePart(part: AnswerPart, { finish }: Completion): readonly Record<string, unknown>[] {
  if (part.type === 'text') {
    return part.text === '' ? [] : [{ type: 'text', text: part.text, citations: null }];
  }
  if (part.type === 'reasoning') {
    return [
      part.redacted === undefined
        ? {
            type: 'thinking',
            thinking: part.text,
            signature: signatureOf(part.text, part.signature),
          }
        : { type: 'redacted_thinking', data: part.redacted },
    ];
  }
  // Half an object is what the output limit leaves; mending it would make a call that the model
  // never wrote.
  const cut = finish.reason === 'length' && !isFields(parseJson(part.argumentsText));
  return [
    {
      type: 'tool_use',
      id: part.id,
      name: part.name,
      input: cut ? {} : toolInput(part.argumentsText),
    },
  ];
}

function writeUsage(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
    inference_geo: null,
  };
}
