import { readReasoning } from '../chat/read-reasoning.ts';
import { invalid, unsupported } from '../chat/refuse.ts';
import { type Fields, lookUp } from '../json.ts';
import type { CompletionFormat, TextPart, TextRequest } from '../neutral.ts';
import { fieldsToDrop } from '../request-fields.ts';
import type { ReadRequest } from '../request-translation.ts';
import { known, readBoolean, readList, readRecord, readString, readText } from '../values.ts';
import { readInput } from './read-items.ts';
import { readTools } from './read-tools.ts';
import { responsesFields } from './request-fields.ts';
import { sealedThoughts } from './sealed-thoughts.ts';
import { settingsOf } from './settings.ts';

/**
 * A request of the responses format in neutral words; what it refers to was put into its `input`
 * before. `body` is parsed JSON of which only the fields of the interface document were checked;
 * null means absent everywhere. Throws `invalid_parameter` or `unsupported_parameter` with the JSON
 * path.
 */
export function readResponsesRequest(body: Readonly<Record<string, unknown>>): ReadRequest {
  const dropped = fieldsToDrop(body, responsesFields);
  const include = readInclude(body['include']);
  const { system, turns } = readInput(body['input']);
  const { tools, toolChoice, customTools, namespaced } = readTools(body);
  const reasoning = readRecord(body['reasoning']) ?? {};
  const serviceTier = readText(body['service_tier']);
  const request: TextRequest = {
    model: readString(body['model']) ?? '',
    stream: body['stream'] === true,
    system: [...readInstructions(body['instructions']), ...system],
    turns,
    tools,
    toolChoice,
    parallelToolCalls: readBoolean(body['parallel_tool_calls']),
    maxTokens: readNumber(body, 'max_output_tokens'),
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    stop: [],
    reasoning: readReasoning({ reasoning: { effort: reasoning['effort'] } }),
    reasoningFields: { mode: undefined, effort: 'reasoning.effort' },
    format: readFormat(readRecord(body['text'])?.['format']),
    user: readText(body['user']) ?? readText(body['safety_identifier']),
    serviceTier: tierOf(serviceTier),
    completion: {
      includeUsage: true,
      legacyFunctions: false,
      customTools,
      response: {
        settings: settingsOf(body),
        // A client has nothing else to go on from where its response is not kept.
        includeEncrypted: body['store'] === false || include.includes(sealedThoughts),
        namespaced,
      },
    },
  };
  return { request, dropped: [...dropped, ...droppedWithin(body)] };
}

/** Parts of fields that are heeded otherwise, and what asks for something nobody here has. */
const droppedWithin = (body: Fields): readonly string[] =>
  [
    (readRecord(body['text'])?.['verbosity'] ?? null) === null ? undefined : 'text.verbosity',
    body['truncation'] === 'auto' ? 'truncation' : undefined,
    isOwnTier(body['service_tier']) ? undefined : 'service_tier',
  ].filter((name) => name !== undefined);

/** The words that every writer knows. */
const tiers: Readonly<Record<string, string>> = { auto: 'auto', default: 'standard_only' };

const tierOf = (tier: string | undefined): string | undefined => lookUp(tiers, tier ?? '');
const isOwnTier = (tier: unknown): boolean =>
  tier === null || tier === undefined || tierOf(readText(tier)) !== undefined;

function readInclude(value: unknown): readonly unknown[] {
  const include = readList(value) ?? [];
  const at = include.indexOf('message.output_text.logprobs');
  if (at >= 0) {
    throw unsupported(
      `include[${at}]`,
      'is not available with this model: the upstream reports no probabilities in this format; leave it out',
    );
  }
  return include;
}

const readInstructions = (value: unknown): TextPart[] => {
  const text = readText(value);
  return text === undefined ? [] : [{ type: 'text', text }];
};

function readNumber(body: Fields, field: string): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw invalid(field, 'must be a number');
  }
  return value;
}

function readFormat(value: unknown): CompletionFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const format = readRecord(value);
  const type = format?.['type'];
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema' || format === undefined) {
    throw invalid('text.format.type', 'must be text, json_object or json_schema');
  }
  return readSchemaFormat(format);
}

function readSchemaFormat(format: Fields): CompletionFormat {
  const schema = readRecord(format['schema']);
  if (schema === undefined) throw invalid('text.format.schema', 'must be a JSON Schema');
  return {
    type: 'json_schema',
    name: readText(format['name']) ?? 'output',
    schema,
    ...known({
      description: readText(format['description']),
      strict: readBoolean(format['strict']),
    }),
  };
}
