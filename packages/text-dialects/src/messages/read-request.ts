import { type Fields, isFields, lookUp, wordsOf } from '../json.ts';
import type {
  CompletionFormat,
  Effort,
  ReasoningOptions,
  TextPart,
  TextRequest,
} from '../neutral.ts';
import { fieldsToDrop } from '../request-fields.ts';
import type { ReadRequest } from '../request-translation.ts';
import { isBlank, known, unique } from '../values.ts';
import { readContent } from './read-blocks.ts';
import { readList, readNumber, readObject, readString, refuse } from './read-fields.ts';
import { readTools } from './read-tools.ts';
import { readTurns } from './read-turns.ts';
import { messagesFields } from './request-fields.ts';

/**
 * The request of a client of the messages dialect, in neutral words. Throws `invalid_parameter`
 * with the path of what is malformed, `unsupported_parameter` for content that no upstream of the
 * other dialect could be shown.
 */
export function readMessagesRequest(body: Readonly<Record<string, unknown>>): ReadRequest {
  // Before all else: a thread's later requests hold no conversation that could be read.
  const lost = fieldsToDrop(body, messagesFields);
  const { leading, turns } = readTurns(body['messages']);
  const { notes, dropped, tools, toolChoice, parallelToolCalls } = readTools(body);
  const request: TextRequest = {
    model: readString(body['model'], 'model'),
    stream: body['stream'] === true,
    system: [...readSystem(body['system']), ...leading, ...notes],
    turns,
    tools,
    toolChoice,
    parallelToolCalls,
    maxTokens: readNumber(body['max_tokens'], 'max_tokens'),
    temperature: readNumber(body['temperature'], 'temperature'),
    topP: readNumber(body['top_p'], 'top_p'),
    topK: readNumber(body['top_k'], 'top_k'),
    stop: readStops(body['stop_sequences']),
    reasoning: readReasoning(body),
    reasoningFields: {
      mode: isFields(body['thinking']) ? 'thinking' : undefined,
      effort: readEffort(body) === undefined ? undefined : 'output_config.effort',
    },
    format: readFormat(body),
    user: isFields(body['metadata']) ? wordsOf(body['metadata']['user_id']) : undefined,
    serviceTier: body['speed'] === 'fast' ? 'fast' : wordsOf(body['service_tier']),
    completion: { includeUsage: true, legacyFunctions: false, customTools: [] },
  };
  return { request, dropped: [...lost, ...lostConfig(body), ...dropped] };
}

/** What `output_config` says beside the effort and the form. */
const lostConfig = ({ output_config: config }: Fields): readonly string[] =>
  isFields(config)
    ? Object.keys(config)
        .filter((field) => field !== 'effort' && field !== 'format')
        .map((field) => `output_config.${field}`)
    : [];

/**
 * A coding agent's note on who pays: it differs on each request and would defeat every vendor's
 * cache of the prompt.
 */
const attribution = 'x-anthropic-billing-header:';

function readSystem(system: unknown): readonly TextPart[] {
  return readContent(system, 'system')
    .map((part) => {
      if (part.type !== 'text') {
        throw refuse('system', 'must be a string or an array of text blocks');
      }
      return part;
    })
    .filter(({ text }) => !text.startsWith(attribution));
}

/** White space alone stops nothing: upstreams refuse it. */
function readStops(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const stops = readList(value, 'stop_sequences').map((stop, index) =>
    readString(stop, `stop_sequences[${index}]`),
  );
  return unique(stops.filter((stop) => !isBlank(stop)));
}

const efforts: ReadonlySet<unknown> = new Set<Effort>(['low', 'medium', 'high', 'xhigh', 'max']);
const modes: Readonly<Record<string, ReasoningOptions['mode']>> = {
  enabled: 'on',
  adaptive: 'adaptive',
  between_tools: 'adaptive',
  disabled: 'off',
};

function readEffort({ output_config: config }: Fields): Effort | undefined {
  const effort = isFields(config) ? config['effort'] : undefined;
  return efforts.has(effort) ? (effort as Effort) : undefined;
}

function readReasoning(body: Fields): ReasoningOptions | undefined {
  const effort = known({ effort: readEffort(body) });
  if (body['thinking'] === undefined || body['thinking'] === null) {
    return 'effort' in effort ? { mode: 'adaptive', ...effort } : undefined;
  }
  const thinking = readObject(body['thinking'], 'thinking');
  const mode = typeof thinking['type'] === 'string' ? lookUp(modes, thinking['type']) : undefined;
  if (mode === undefined) {
    throw refuse('thinking.type', 'must be enabled, adaptive, between_tools or disabled');
  }
  if (mode === 'off') return { mode };
  const budgetTokens = readNumber(thinking['budget_tokens'], 'thinking.budget_tokens');
  return { mode, ...effort, ...(budgetTokens !== undefined && { budgetTokens }) };
}

/** `output_format` is the older spelling of `output_config.format`. */
function readFormat(body: Fields): CompletionFormat | undefined {
  const config = isFields(body['output_config']) ? body['output_config'] : {};
  const [value, param] = isFields(config['format'])
    ? [config['format'], 'output_config.format']
    : [body['output_format'], 'output_format'];
  if (!isFields(value)) return undefined;
  if (value['type'] !== 'json_schema') throw refuse(`${param}.type`, 'must be json_schema');
  return {
    type: 'json_schema',
    name: wordsOf(value['name']) ?? 'output',
    schema: readObject(value['schema'], `${param}.schema`),
  };
}
