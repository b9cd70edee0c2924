import type { Fields } from '../json.ts';
import type { CompletionFormat, TextRequest } from '../neutral.ts';
import { fieldsToDrop } from '../request-fields.ts';
import type { ReadRequest } from '../request-translation.ts';
import {
  isBlank,
  known,
  readBoolean,
  readList,
  readRecord,
  readString,
  readText,
  unique,
} from '../values.ts';
import { readMessages } from './read-messages.ts';
import { readReasoning, reasoningFieldsOf } from './read-reasoning.ts';
import { readTools, type ReadTools } from './read-tools.ts';
import { invalid, unsupported } from './refuse.ts';
import { chatFields } from './request-fields.ts';

/**
 * A chat-completions request in neutral words. `body` is parsed JSON of which only the fields of
 * the interface document were checked; null means absent everywhere. Throws `invalid_parameter` or
 * `unsupported_parameter` with the JSON path.
 */
export function readChatRequest(body: Readonly<Record<string, unknown>>): ReadRequest {
  refuseSeveralChoices(body['n']);
  const dropped = fieldsToDrop(body, chatFields);
  const tools = readTools(body);
  const stream = body['stream'] === true;
  const request: TextRequest = {
    model: readString(body['model']) ?? '',
    stream,
    ...readMessages(body['messages']),
    tools: tools.tools,
    toolChoice: tools.toolChoice,
    parallelToolCalls: parallelOf(body, tools),
    maxTokens: readMaxTokens(body),
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    topK: readNumber(body, 'top_k'),
    stop: readStop(body['stop']),
    reasoning: readReasoning(body),
    reasoningFields: reasoningFieldsOf(body),
    format: readFormat(body['response_format'] ?? readRecord(body['output_config'])?.['format']),
    user: readText(body['user']) ?? readText(body['safety_identifier']),
    serviceTier: readText(body['service_tier']),
    completion: {
      includeUsage: stream && readRecord(body['stream_options'])?.['include_usage'] === true,
      legacyFunctions: tools.legacy,
      customTools: tools.customTools,
    },
  };
  return { request, dropped };
}

/** The messages dialect gives one completion, and asking n times would charge the prompt n times. */
function refuseSeveralChoices(value: unknown): void {
  const n = value ?? 1;
  if (n === 1) return;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1) {
    throw invalid('n', 'must be a whole number of at least 1');
  }
  throw unsupported('n', 'must be 1 for this model');
}

function readMaxTokens(body: Fields): number | undefined {
  const param =
    (body['max_completion_tokens'] ?? undefined) === undefined
      ? 'max_tokens'
      : 'max_completion_tokens';
  const value = body[param] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw invalid(param, 'must be a whole number of at least 1');
  }
  return value;
}

function readNumber(body: Fields, field: string): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw invalid(field, 'must be a number');
  }
  return value;
}

/** Empty and blank sequences are refused by messages upstreams and would stop nothing sensible. */
function readStop(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const list = typeof value === 'string' ? [value] : (readList(value) ?? []);
  const stops = list.map((item, index) => {
    if (typeof item !== 'string') throw invalid(`stop[${index}]`, 'must be a string');
    return item;
  });
  return unique(stops.filter((stop) => !isBlank(stop)));
}

/** A legacy completion can carry one call only. */
const parallelOf = (body: Fields, { legacy, parallelToolCalls }: ReadTools): boolean | undefined =>
  legacy ? false : (readBoolean(body['parallel_tool_calls']) ?? parallelToolCalls);

function readFormat(value: unknown): CompletionFormat | undefined {
  const field = readRecord(value);
  const type = readText(field?.['type'] ?? value);
  if (value === undefined || value === null || type === 'text') return undefined;
  if (type === 'json_object') return { type: 'json_object' };
  if (type !== 'json_schema' || field === undefined) {
    throw invalid('response_format.type', 'must be text, json_object or json_schema');
  }
  return readSchemaFormat(readRecord(field['json_schema']) ?? field);
}

function readSchemaFormat(wanted: Fields): CompletionFormat {
  const schema = readRecord(wanted['schema']);
  if (schema === undefined) return { type: 'json_object' };
  const about = known({
    description: readText(wanted['description']),
    strict: readBoolean(wanted['strict']),
  });
  return { type: 'json_schema', name: readText(wanted['name']) ?? 'output', schema, ...about };
}
