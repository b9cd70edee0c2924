import { isFields, parseJson, type Fields } from '../json.ts';
import type { Dialect, Usage } from '../neutral.ts';
import { readTopLevel, valueOf } from './body-spans.ts';

/** An object's fields, or none: vendors leave out and null whatever they like. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/**
 * Tokens as an upstream of a dialect reports them, vendors' own spellings included; null when it
 * reports none.
 */
export function usageOf(dialect: Dialect, raw: unknown): Usage | null {
  const fields = fieldsOf(raw);
  return dialect === 'messages' ? messagesUsage(fields) : chatUsage(fields);
}

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
  const written = fieldsOf(raw['cache_creation']);
  return {
    inputTokens: input ?? 0,
    cachedInputTokens: countOf(raw['cache_read_input_tokens']) ?? 0,
    cacheWriteTokens:
      countOf(raw['cache_creation_input_tokens']) ??
      (countOf(written['ephemeral_5m_input_tokens']) ?? 0) +
        (countOf(written['ephemeral_1h_input_tokens']) ?? 0),
    outputTokens: output ?? 0,
    reasoningTokens: countOf(fieldsOf(raw['output_tokens_details'])['thinking_tokens']) ?? 0,
    estimated: false,
  };
}

/**
 * `prompt_tokens` includes what the cache gave; a vendor whose cached part is larger than the whole
 * has taken it out already.
 */
function chatUsage(raw: Fields): Usage | null {
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

/** A count of tokens; undefined for what is none. */
const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : undefined;

/** Where the usage of a chat chunk may stand: at the top, or where Groq and Moonshot put it. */
export function chatUsageField(chunk: Fields): unknown {
  const [choice] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
  return chunk['usage'] ?? fieldsOf(chunk['x_groq'])['usage'] ?? fieldsOf(choice)['usage'];
}

/** Larger answers are searched for their usage instead of parsed. */
const parsedUpToBytes = 1024 * 1024;

/**
 * What a whole JSON answer says of its tokens, and whether it says that it ended. Anything else
 * than an answer has neither.
 */
export function readCompletionUsage(
  dialect: Dialect,
  body: Buffer,
): { usage: Usage | null; finished: boolean } {
  if (body.length > parsedUpToBytes) return searchCompletion(dialect, body);
  const answer = fieldsOf(parseJson(body.toString()));
  if (dialect === 'messages') {
    return {
      usage: usageOf(dialect, answer['usage']),
      finished: typeof answer['stop_reason'] === 'string',
    };
  }
  const choices = Array.isArray(answer['choices']) ? (answer['choices'] as unknown[]) : [];
  const finished =
    choices.length > 0 &&
    choices.every((choice) => typeof fieldsOf(choice)['finish_reason'] === 'string');
  return { usage: usageOf(dialect, chatUsageField(answer)), finished };
}

function searchCompletion(
  dialect: Dialect,
  body: Buffer,
): { usage: Usage | null; finished: boolean } {
  const sign = dialect === 'messages' ? 'stop_reason' : 'choices';
  const { spans, complete } = readTopLevel(body, ['usage', sign]);
  const usage = spans.findLast(({ key }) => key === 'usage');
  const end = spans.findLast(({ key }) => key === sign);
  const ended = end !== undefined && body.toString('latin1', end.start, end.end) !== 'null';
  return {
    usage: usage === undefined ? null : usageOf(dialect, valueOf(body, usage)),
    finished: complete && ended,
  };
}
