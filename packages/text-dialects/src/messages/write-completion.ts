import type { Completion, CompletionIdentity, CompletionMemory, Usage } from '../neutral.ts';
import { isFields, lookUp, parseJson } from '../json.ts';
import { known } from '../values.ts';
import { messageId, signatureOf } from './marker.ts';
import { citationOf } from './sources.ts';
import { stopFields } from './stop-reason.ts';
import { toolInput } from './tool-input.ts';

/** A whole completion as a client of the messages dialect expects it, every field present. */
export function writeMessagesCompletion(
  completion: Completion,
  _memory: CompletionMemory,
  identity: CompletionIdentity,
): Record<string, unknown> {
  const calls = completion.parts.filter((part) => part.type === 'tool_call').length;
  return {
    id: messageId(completion.id, identity.newSuffix),
    type: 'message',
    role: 'assistant',
    model: identity.model,
    content: completion.parts.flatMap((part) => writePart(part, completion)),
    ...stopFields(completion.finish, calls),
    usage: writeUsage(completion.usage),
  };
}

type CompletionPart = Completion['parts'][number];

function writePart(
  part: CompletionPart,
  { finish }: Completion,
): readonly Record<string, unknown>[] {
  if (part.type === 'text') {
    // Clients take a list or nothing; a null breaks some.
    const citations = part.sources?.map(citationOf);
    return part.text === '' ? [] : [{ type: 'text', text: part.text, ...known({ citations }) }];
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

const tiers: Readonly<Record<string, string>> = {
  default: 'standard',
  standard: 'standard',
  priority: 'priority',
  batch: 'batch',
};

/** Only what the upstream said, in the words of this dialect. */
const tierOf = (told: string | undefined): string | null => lookUp(tiers, told ?? '') ?? null;

function writeUsage(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens - (usage.cacheWrite1hTokens ?? 0),
      ephemeral_1h_input_tokens: usage.cacheWrite1hTokens ?? 0,
    },
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
    service_tier: tierOf(usage.serviceTier),
    speed: null,
    inference_geo: null,
  };
}
