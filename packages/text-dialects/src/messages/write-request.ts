import { createHash } from 'node:crypto';
import { type Fields, lookUp } from '../json.ts';
import type { TextRequest } from '../neutral.ts';
import type { UpstreamTarget, WrittenRequest } from '../request-translation.ts';
import { known } from '../values.ts';
import { planFormat, type FormatPlan } from './plan-format.ts';
import { planThinking, type ThinkingPlan } from './plan-thinking.ts';
import type { MessagesQuirks } from './quirks.ts';
import { createSafeNames } from './tool-ids.ts';
import { createMarker, writeText, type BlockContext } from './write-content.ts';
import { calledNames, writeTools } from './write-tools.ts';
import { writeTurns } from './write-turns.ts';

/**
 * The body of `POST /v1/messages` for a neutral request, and what its completion's translation must
 * remember. Throws `unsupported_parameter` for what this upstream cannot be told and nothing could
 * stand for.
 */
export function writeMessagesRequest(
  request: TextRequest,
  target: UpstreamTarget<MessagesQuirks>,
): WrittenRequest {
  const { quirks } = target;
  const thinking = planThinking(request, quirks, limitsOf(target));
  const format = planFormat(request, quirks, thinking.on);
  const context = contextOf(request, quirks);
  // Breakpoints for the cache are given out in the order in which the upstream reads.
  const { tools, toolChoice, choiceDropped } = writeTools(request, context, {
    format,
    thinking: thinking.on,
  });
  const system = writeSystem(request, context, format);
  const sampling = samplingOf(request, quirks, thinking);
  const account = accountOf(request, quirks);
  const body = {
    model: target.model,
    max_tokens: thinking.maxTokens,
    tools: unlessEmpty(tools),
    tool_choice: toolChoice,
    system: unlessEmpty(system),
    messages: writeTurns(request.turns, context),
    stop_sequences: unlessEmpty(request.stop),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    thinking: thinking.thinking,
    output_config: outputConfig(thinking, format),
    metadata: account.metadata,
    service_tier: account.serviceTier,
    stream: request.stream ? true : undefined,
  };
  const dropped = [
    ...sampling.dropped,
    ...(thinking.dropped ? Object.values(known({ ...request.reasoningFields })) : []),
    ...(choiceDropped ? ['tool_choice'] : []),
    ...account.dropped,
  ];
  return {
    body,
    memory: memoryOf(request, { quirks, format, toolName: context.toolName }),
    dropped,
  };
}

const unlessEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined =>
  list.length === 0 ? undefined : list;

/** The configuration knows the model better than the table of families does. */
const limitsOf = ({
  maxOutputTokens,
  quirks,
}: UpstreamTarget<MessagesQuirks>): { limit: number | undefined; defaultMaxTokens: number } => ({
  limit: maxOutputTokens ?? (quirks.maxOutputTokens > 0 ? quirks.maxOutputTokens : undefined),
  defaultMaxTokens: maxOutputTokens ?? quirks.defaultMaxTokens,
});

function contextOf(request: TextRequest, quirks: MessagesQuirks): BlockContext {
  const names = [...request.tools.map(({ name }) => name), ...calledNames(request)];
  return {
    quirks,
    toolId: createSafeNames(callIds(request), quirks.toolIdMax),
    toolName: createSafeNames(names, quirks.toolNameMax),
    mark: createMarker(quirks.cacheControl),
  };
}

function callIds({ turns }: TextRequest): readonly string[] {
  const ids: string[] = [];
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'tool_call') ids.push(part.id);
      else if (part.type === 'tool_result') ids.push(part.callId);
    }
  }
  return ids;
}

const writeSystem = (
  request: TextRequest,
  context: BlockContext,
  { instruction }: FormatPlan,
): Fields[] => [
  ...request.system.flatMap((part) => writeText(part, context)),
  ...(instruction === undefined ? [] : [{ type: 'text', text: instruction }]),
];

const outputConfig = ({ effort }: ThinkingPlan, { native }: FormatPlan): Fields | undefined =>
  effort === undefined && native === undefined ? undefined : { effort, format: native };

const mostTemperature = 1;

interface WrittenSampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly dropped: readonly string[];
}

/**
 * The chat dialect's temperatures go to 2, this one's to 1. A thinking model takes none of the
 * three.
 */
function samplingOf(
  { temperature, topP, topK }: TextRequest,
  { sampling }: MessagesQuirks,
  { on }: ThinkingPlan,
): WrittenSampling {
  if (sampling === 'none' || on) {
    return { dropped: Object.keys(known({ temperature, top_p: topP, top_k: topK })) };
  }
  const within = temperature === undefined ? undefined : Math.min(temperature, mostTemperature);
  if (sampling === 'all' || temperature === undefined || topP === undefined) {
    return { temperature: within, topP, topK, dropped: [] };
  }
  return { temperature: within, topK, dropped: ['top_p'] };
}

const tiers: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'standard_only',
  standard_only: 'standard_only',
};

/** What is about the client's account and not about the completion. */
function accountOf(
  { user, serviceTier }: TextRequest,
  { metadata, serviceTier: knowsTiers }: MessagesQuirks,
): { metadata: Fields | undefined; serviceTier: string | undefined; dropped: readonly string[] } {
  const tier = knowsTiers ? lookUp(tiers, serviceTier ?? '') : undefined;
  return {
    metadata: user !== undefined && metadata ? { user_id: opaque(user) } : undefined,
    serviceTier: tier,
    dropped: [
      ...(user !== undefined && !metadata ? ['user'] : []),
      ...(serviceTier !== undefined && tier === undefined ? ['service_tier'] : []),
    ],
  };
}

const longestUser = 256;
const personal = /@|^\+?[\d\s().-]{7,}$/;

/** The vendor wants no names, addresses or numbers of people. */
const opaque = (user: string): string =>
  user.length > longestUser || personal.test(user)
    ? createHash('sha256').update(user).digest('hex')
    : user;

interface Remembered {
  readonly quirks: MessagesQuirks;
  readonly format: FormatPlan;
  readonly toolName: (name: string) => string;
}

/** Names that had to be changed, back to the client's. */
function clientNames(
  { tools }: TextRequest,
  toolName: (name: string) => string,
): Readonly<Record<string, string>> {
  const names: Record<string, string> = {};
  for (const { name } of tools) if (toolName(name) !== name) names[toolName(name)] = name;
  return names;
}

function memoryOf(
  request: TextRequest,
  { quirks, format, toolName }: Remembered,
): WrittenRequest['memory'] {
  return {
    stream: request.stream,
    toolNames: clientNames(request, toolName),
    emulatedStops: [],
    stops: request.stop,
    singleToolCall:
      request.parallelToolCalls === false && !quirks.parallelSwitch && request.tools.length > 0,
    structuredTool: format.tool?.name ?? null,
    unwrapValue: format.unwrapValue,
    ...(format.instruction !== undefined && { jsonText: true }),
    completion: request.completion,
    prefill: '',
  };
}
