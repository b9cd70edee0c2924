import { chatVendorPresets } from '../chat/vendor-presets.ts';
import type { ChatQuirks } from '../chat/quirks.ts';
import { prefillOf, writeChatRequest } from '../chat/write-request.ts';
import { createToolNames } from '../chat/write-tools.ts';
import type { Fields } from '../json.ts';
import type { TextRequest } from '../neutral.ts';
import type { UpstreamTarget, WrittenRequest } from '../request-translation.ts';
import { readList, readRecord, readString } from '../values.ts';
import type { ResponsesQuirks } from './quirks.ts';
import { writeInput } from './write-input.ts';

/**
 * The request for an upstream of the responses format, and what its completion's translation must
 * remember. What is no part of the conversation has the same meaning in chat completions: it is
 * written as there, and put under the names that it has here.
 */
export function writeResponsesRequest(
  request: TextRequest,
  { quirks, ...target }: UpstreamTarget<ResponsesQuirks>,
): WrittenRequest {
  const { body, memory, dropped } = writeChatRequest(
    { ...request, system: [], turns: [] },
    { ...target, quirks: chatQuirks(quirks) },
  );
  const { of: toolName } = createToolNames(quirks.toolNameMax);
  const { messages, ...settings } = body;
  return {
    body: {
      model: body['model'],
      instructions: instructionsOf(request, messages),
      input: writeInput(request.turns, { quirks, toolName }),
      ...settingsOf(settings),
      reasoning: reasoningOf(settings['reasoning_effort'], quirks),
      include: quirks.encryptedReasoning ? ['reasoning.encrypted_content'] : undefined,
      // The account at the vendor is shared by all customers.
      store: false,
      stream: request.stream ? true : undefined,
    },
    memory: { ...memory, prefill: prefillOf(request) },
    dropped,
  };
}

function chatQuirks(quirks: ResponsesQuirks): ChatQuirks {
  return {
    ...chatVendorPresets.generic,
    maxTokensField: 'max_completion_tokens',
    maxStops: 0,
    toolStrict: true,
    streamUsage: false,
    fileParts: 'data_or_url',
    minMaxTokens: quirks.minMaxTokens,
    sampling: quirks.sampling,
    reasoningStyle: quirks.reasoningWords.length === 0 ? 'none' : 'effort',
    reasoningWords: quirks.reasoningWords,
    structuredOutput: quirks.structuredOutput,
    userField: quirks.userField,
    serviceTier: quirks.serviceTier,
    fastServiceTier: quirks.fastServiceTier,
    toolNameMax: quirks.toolNameMax,
  };
}

/** The client's, and what the model is told in words of the format it has to keep to. */
function instructionsOf({ system }: TextRequest, messages: unknown): string | undefined {
  const told = (readList(messages) ?? []).flatMap(
    (message) => readString(readRecord(message)?.['content']) ?? [],
  );
  const texts = [...system.map(({ text }) => text), ...told].filter((text) => text !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** The settings of a chat request that have another name or shape here. */
const settingsOf = ({
  max_completion_tokens: maxTokens,
  tools,
  tool_choice: choice,
  response_format: format,
  temperature,
  top_p,
  parallel_tool_calls,
  user,
  safety_identifier,
  service_tier,
}: Fields): Fields => ({
  max_output_tokens: maxTokens,
  tools: readList(tools)?.map(flatTool),
  tool_choice: readRecord(choice) === undefined ? choice : flat(choice, 'function'),
  text: format === undefined ? undefined : { format: flat(format, 'json_schema') },
  temperature,
  top_p,
  parallel_tool_calls,
  user,
  safety_identifier,
  service_tier,
});

/** What stands in an object of its own there stands beside the type here. */
function flat(value: unknown, field: string): Fields {
  const { [field]: inner, ...rest } = readRecord(value) ?? {};
  return { ...rest, ...readRecord(inner) };
}

/** A schema that does not say so is taken for a strict one here. */
const flatTool = (tool: unknown): Fields => ({ strict: false, ...flat(tool, 'function') });

const reasoningOf = (effort: unknown, { reasoningSummary }: ResponsesQuirks): Fields | undefined =>
  effort === undefined
    ? undefined
    : {
        effort,
        ...(effort !== 'none' && reasoningSummary !== 'none' && { summary: reasoningSummary }),
      };
