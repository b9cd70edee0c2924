import { isFields, parseJson, type Fields } from '../json.ts';
import type { Dialect, Usage } from '../neutral.ts';
import { readTopLevel, valueOf } from './body-spans.ts';
import {
  chatToolUses,
  countOf,
  fieldsOf,
  hostedCallsIn,
  messagesTierOf,
  messagesToolUses,
  tierOf,
} from './usage-extras.ts';

/**
 * Tokens as an upstream of a dialect reports them, vendors' own spellings included; null when it
 * reports none. `tier`: of a chat completion, which names it beside its usage.
 */
export function usageOf(dialect: Dialect, raw: unknown, tier?: unknown): Usage | null {
  const fields = fieldsOf(raw);
  return usageReaders[dialect](fields, tierOf(tier));
}

type ReadUsage = (raw: Fields, serviceTier: string | undefined) => Usage | null;

const usageReaders: Readonly<Record<Dialect, ReadUsage>> = {
  messages: (raw) => messagesUsage(raw),
  chat: chatUsage,
  responses: responsesUsage,
};

/** The usage of a Response object, with the uses of tools that its output shows. */
export function responseUsageIn(response: Fields): Usage | null {
  const usage = usageOf('responses', response['usage'], response['service_tier']);
  return usage && { ...usage, serverToolUses: hostedCallsIn(response['output']) };
}

/** The usage of a chat completion or of one chunk of it. */
export const chatUsageIn = (envelope: Fields): Usage | null =>
  usageOf('chat', chatUsageField(envelope), envelope['service_tier']);

export const noUsage: Fields = {};

/**
 * What a messages stream has reported so far: a later figure replaces the earlier one, a missing
 * one or null leaves it.
 */
export function mergedUsage(earlier: Fields, reported: unknown): Fields {
  if (!isFields(reported)) return earlier;
  return earlier === noUsage
    ? reported
    : {
        ...earlier,
        ...Object.fromEntries(Object.entries(reported).filter(([, figure]) => figure !== null)),
      };
}

function messagesUsage(raw: Fields): Usage | null {
  const input = countOf(raw['input_tokens']);
  const output = countOf(raw['output_tokens']);
  if (input === undefined && output === undefined) return null;
  return {
    inputTokens: input ?? 0,
    cachedInputTokens: countOf(raw['cache_read_input_tokens']) ?? 0,
    ...messagesCacheWrites(raw),
    outputTokens: output ?? 0,
    reasoningTokens: countOf(fieldsOf(raw['output_tokens_details'])['thinking_tokens']) ?? 0,
    serverToolUses: messagesToolUses(raw),
    serviceTier: messagesTierOf(raw),
    estimated: false,
  };
}

function messagesCacheWrites(raw: Fields): Pick<Usage, 'cacheWriteTokens' | 'cacheWrite1hTokens'> {
  const written = fieldsOf(raw['cache_creation']);
  const forAnHour = countOf(written['ephemeral_1h_input_tokens']);
  return {
    cacheWriteTokens:
      countOf(raw['cache_creation_input_tokens']) ??
      (countOf(written['ephemeral_5m_input_tokens']) ?? 0) + (forAnHour ?? 0),
    cacheWrite1hTokens: forAnHour,
  };
}

/**
 * `prompt_tokens` includes what the cache gave; a vendor whose cached part is larger than the whole
 * has taken it out already.
 */
function chatUsage(raw: Fields, serviceTier: string | undefined): Usage | null {
  const prompt = firstCount(raw['prompt_tokens'], raw['input_tokens']);
  const completion = firstCount(raw['completion_tokens'], raw['output_tokens']);
  if (prompt === undefined && completion === undefined) return null;
  const whole = prompt ?? 0;
  const inputDetails = fieldsOf(raw['prompt_tokens_details']);
  const cached =
    firstCount(
      inputDetails['cached_tokens'],
      raw['prompt_cache_hit_tokens'],
      raw['cached_tokens'],
      fieldsOf(raw['input_tokens_details'])['cached_tokens'],
      raw['cache_read_input_tokens'],
    ) ?? 0;
  const written =
    firstCount(
      inputDetails['cache_write_tokens'],
      raw['cache_creation_input_tokens'],
      inputDetails['cache_creation_tokens'],
    ) ?? 0;
  const reasoning =
    firstCount(
      fieldsOf(raw['completion_tokens_details'])['reasoning_tokens'],
      fieldsOf(raw['output_tokens_details'])['reasoning_tokens'],
    ) ?? 0;
  return {
    inputTokens: cached > whole ? whole : Math.max(0, whole - cached - written),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: withReasoning(
      { prompt: whole, completion: completion ?? 0, reasoning },
      countOf(raw['total_tokens']),
    ),
    reasoningTokens: reasoning,
    serverToolUses: chatToolUses(raw),
    serviceTier,
    estimated: false,
  };
}

/** `input_tokens` includes what was read from and written to a cache. */
function responsesUsage(raw: Fields, serviceTier: string | undefined): Usage | null {
  const input = countOf(raw['input_tokens']);
  const output = countOf(raw['output_tokens']);
  if (input === undefined && output === undefined) return null;
  const details = fieldsOf(raw['input_tokens_details']);
  const cached = countOf(details['cached_tokens']) ?? 0;
  const written = countOf(details['cache_write_tokens']) ?? 0;
  return {
    inputTokens: Math.max(0, (input ?? 0) - cached - written),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output ?? 0,
    reasoningTokens: countOf(fieldsOf(raw['output_tokens_details'])['reasoning_tokens']) ?? 0,
    serverToolUses: undefined,
    serviceTier,
    estimated: false,
  };
}

/** Some vendors count reasoning beside the completion; their total gives it away. */
function withReasoning(
  { prompt, completion, reasoning }: { prompt: number; completion: number; reasoning: number },
  total: number | undefined,
): number {
  return reasoning > 0 && total === prompt + completion + reasoning
    ? completion + reasoning
    : completion;
}

/** The first value that is a count of tokens. */
function firstCount(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const count = countOf(value);
    if (count !== undefined) return count;
  }
  return undefined;
}

/** Where the usage of a chat chunk may stand: at the top, or where Groq and Moonshot put it. */
function chatUsageField(chunk: Fields): unknown {
  const [choice] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
  return chunk['usage'] ?? fieldsOf(chunk['x_groq'])['usage'] ?? fieldsOf(choice)['usage'];
}

/** Larger responses are searched for their usage instead of parsed. */
const parsedUpToBytes = 1024 * 1024;

/**
 * What a whole JSON completion says of its tokens, and whether it says that it ended. Anything else
 * than a completion has neither.
 */
export function readCompletionUsage(
  dialect: Dialect,
  body: Buffer,
): { usage: Usage | null; finished: boolean } {
  // A Response object is read whole to be kept, whatever its size.
  if (body.length > parsedUpToBytes && dialect !== 'responses') {
    return searchCompletion(dialect, body);
  }
  const response = fieldsOf(parseJson(body.toString()));
  if (dialect === 'responses') {
    return { usage: responseUsageIn(response), finished: isFinishedResponse(response['status']) };
  }
  if (dialect === 'messages') {
    return {
      usage: usageOf(dialect, response['usage']),
      finished: typeof response['stop_reason'] === 'string',
    };
  }
  const choices = Array.isArray(response['choices']) ? (response['choices'] as unknown[]) : [];
  const finished =
    choices.length > 0 &&
    choices.every((choice) => typeof fieldsOf(choice)['finish_reason'] === 'string');
  return { usage: chatUsageIn(response), finished };
}

/** A response that failed, or that still runs, is no completion. */
export const isFinishedResponse = (status: unknown): boolean =>
  status === 'completed' || status === 'incomplete';

/**
 * The same of an embeddings response, which is one if it has `data`. Its vectors are never parsed:
 * they are megabytes.
 */
export function readEmbeddingsUsage(body: Buffer): { usage: Usage | null; finished: boolean } {
  return searchResponse('chat', body, { key: 'data', ends: (value) => value === '[' });
}

function searchCompletion(
  dialect: Dialect,
  body: Buffer,
): { usage: Usage | null; finished: boolean } {
  const key = dialect === 'messages' ? 'stop_reason' : 'choices';
  return searchResponse(dialect, body, { key, ends: (value) => value !== 'n' });
}

/** What shows that a response is whole: a field whose value begins in a certain way. */
interface EndSign {
  readonly key: string;
  /** Takes the first character of the JSON value. */
  readonly ends: (value: string) => boolean;
}

function searchResponse(
  dialect: Dialect,
  body: Buffer,
  { key: sign, ends }: EndSign,
): { usage: Usage | null; finished: boolean } {
  const { spans, complete } = readTopLevel(body, ['usage', 'service_tier', sign]);
  const usage = spans.findLast(({ key }) => key === 'usage');
  const tier = spans.findLast(({ key }) => key === 'service_tier');
  const end = spans.findLast(({ key }) => key === sign);
  const ended = end !== undefined && ends(String.fromCharCode(body[end.start] ?? 0));
  return {
    usage:
      usage === undefined
        ? null
        : usageOf(dialect, valueOf(body, usage), tier && valueOf(body, tier)),
    finished: complete && ended,
  };
}
