import type { Fields } from '../json.ts';
import type { TextRequest } from '../neutral.ts';
import type { UpstreamTarget, WrittenRequest } from '../request-translation.ts';
import type { ChatQuirks } from './quirks.ts';
import { writeFormat } from './write-format.ts';
import { writeMessages } from './write-messages.ts';
import { writeReasoning, type WrittenReasoning } from './write-reasoning.ts';
import { hidesDocuments } from './write-shown.ts';
import { createToolNames, hexOf, losesChoice, writeTools } from './write-tools.ts';

/**
 * The request for an upstream of the chat dialect, and what its completion's translation must remember.
 */
export function writeChatRequest(
  request: TextRequest,
  target: UpstreamTarget<ChatQuirks>,
): WrittenRequest {
  const { quirks } = target;
  const names = createToolNames(quirks.toolNameMax);
  const reasoning = writeReasoning(request, quirks);
  const format = writeFormat(request.format, quirks);
  const prefill = prefillOf(request);
  const messages = writeMessages(request, {
    quirks,
    names,
    instruction: format.instruction,
    thinking: reasoning.thinking,
  });
  const body = {
    model: target.model,
    messages,
    ...writeLimits(request, target),
    ...writeSampling(request, quirks),
    ...writeTools(request, { quirks, names, thinking: reasoning.thinking }),
    ...format.fields,
    ...mergeTemplates(
      reasoning.fields,
      prefill !== '' && quirks.prefill === 'continue_final_message',
    ),
    ...writeSender(request, quirks),
    stream: request.stream,
    ...(request.stream && quirks.streamUsage && { stream_options: { include_usage: true } }),
  };
  return {
    body,
    dropped: droppedBy(request, { quirks, reasoning }),
    memory: {
      stream: request.stream,
      toolNames: names.restore,
      emulatedStops: request.stop.slice(quirks.maxStops),
      stops: request.stop,
      singleToolCall:
        request.parallelToolCalls === false &&
        request.tools.length > 0 &&
        !quirks.parallelToolCalls,
      structuredTool: null,
      unwrapValue: format.wrapped,
      completion: request.completion,
      prefill: quirks.prefill === 'none' ? prefill : '',
      thinkTags: quirks.thinkTags,
    },
  };
}

/** The beginning of the completion that the client wrote itself. */
export function prefillOf({ turns }: TextRequest): string {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.parts.some(({ type }) => type === 'tool_call')) return '';
  return last.parts
    .filter((part) => part.type === 'text')
    .map(({ text }) => text)
    .join('');
}

const mergeTemplates = (reasoning: Fields, continues: boolean): Fields =>
  continues
    ? { ...reasoning, continue_final_message: true, add_generation_prompt: false }
    : reasoning;

function writeLimits(
  request: TextRequest,
  { quirks, maxOutputTokens = Infinity }: UpstreamTarget<ChatQuirks>,
): Fields {
  const stop = request.stop.slice(0, quirks.maxStops);
  return {
    ...(request.maxTokens !== undefined && {
      [quirks.maxTokensField]: Math.min(
        Math.max(request.maxTokens, quirks.minMaxTokens),
        maxOutputTokens,
      ),
    }),
    ...(stop.length > 0 && { stop }),
  };
}

function writeSampling({ temperature, topP, topK }: TextRequest, quirks: ChatQuirks): Fields {
  return {
    ...(temperature !== undefined && quirks.sampling && { temperature }),
    ...(topP !== undefined && quirks.sampling && { top_p: topP }),
    ...(topK !== undefined && quirks.topK && { top_k: topK }),
  };
}

const tierWords: Readonly<Record<string, string>> = { auto: 'auto', standard_only: 'default' };

function tierOf({ serviceTier }: TextRequest, quirks: ChatQuirks): string | undefined {
  if (serviceTier === undefined) return undefined;
  if (serviceTier === 'fast') {
    return quirks.fastServiceTier === '' ? undefined : quirks.fastServiceTier;
  }
  return quirks.serviceTier ? tierWords[serviceTier] : undefined;
}

/**
 * The end user's id is hashed: clients send long structured ones, and vendors take 64 characters.
 */
function writeSender(request: TextRequest, quirks: ChatQuirks): Fields {
  const tier = tierOf(request, quirks);
  return {
    ...(request.user !== undefined &&
      quirks.userField !== 'none' && { [quirks.userField]: hexOf(request.user, 64) }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}

/** The client's fields that this upstream cannot be told. */
function droppedBy(
  request: TextRequest,
  { quirks, reasoning }: { quirks: ChatQuirks; reasoning: WrittenReasoning },
): readonly string[] {
  const lost: string[] = [];
  const note = (field: string, isLost: boolean): void => {
    if (isLost) lost.push(field);
  };
  note('temperature', request.temperature !== undefined && !quirks.sampling);
  note('top_p', request.topP !== undefined && !quirks.sampling);
  note('top_k', request.topK !== undefined && !quirks.topK);
  lost.push(...reasoning.lost);
  note('tool_choice', losesChoice(request, { quirks, thinking: reasoning.thinking }));
  note('messages.document', hidesDocuments(request, quirks));
  note('metadata', request.user !== undefined && quirks.userField === 'none');
  note(
    request.serviceTier === 'fast' ? 'speed' : 'service_tier',
    request.serviceTier !== undefined && tierOf(request, quirks) === undefined,
  );
  return lost;
}
