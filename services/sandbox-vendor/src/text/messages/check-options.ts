import type { ThinkingSigner } from '../model/signature.ts';
import { isSchemaObject, partsOfSchema } from '../schema-parts.ts';
import { blocksOf, type MessagesBody } from './body.ts';
import { invalid } from './read-body.ts';

/** The version from which on sampling cannot be set any more. */
const versionWithoutSampling = '2026-10-21';
const samplingFields = ['temperature', 'top_p', 'top_k'] as const;

/** Fields that exist only together with a beta; the beta's name begins with this. */
const betaFields = {
  output_format: 'structured-outputs-',
  context_management: 'context-management-',
  mcp_servers: 'mcp-client-',
} as const;

const refuseExtra = (field: string): never => {
  throw invalid(field, 'Extra inputs are not permitted');
};

/** Refuses fields that this version or the missing of a beta header rules out. */
export function checkVersioned(
  body: MessagesBody,
  { version, betas }: { version: string; betas: readonly string[] },
): void {
  for (const field of samplingFields) {
    if (field in body && version >= versionWithoutSampling) refuseExtra(field);
  }
  for (const [field, beta] of Object.entries(betaFields)) {
    if (field in body && !betas.some((one) => one.startsWith(beta))) refuseExtra(field);
  }
}

export function checkStopSequences({ stop_sequences: sequences = [] }: MessagesBody): void {
  const at = sequences.findIndex((sequence) => sequence.trim() === '');
  if (at >= 0) {
    throw invalid(`stop_sequences.${at}`, 'each stop sequence must contain non-whitespace');
  }
}

interface ThinkingRule {
  readonly field: keyof MessagesBody;
  readonly isBroken: (body: MessagesBody) => boolean;
  readonly problem: string;
}

const thinkingRules: readonly ThinkingRule[] = [
  {
    field: 'max_tokens',
    isBroken: ({ thinking, max_tokens: max }) =>
      thinking?.type === 'enabled' && max !== undefined && thinking.budget_tokens >= max,
    problem: '`max_tokens` must be greater than `thinking.budget_tokens`.',
  },
  {
    field: 'temperature',
    isBroken: ({ temperature = 1 }) => temperature !== 1,
    problem: '`temperature` may only be set to 1 when thinking is enabled.',
  },
  {
    field: 'top_k',
    isBroken: ({ top_k: topK }) => topK !== undefined,
    problem: '`top_k` must be unset when thinking is enabled.',
  },
  {
    field: 'top_p',
    isBroken: ({ top_p: topP = 1 }) => topP < 0.95,
    problem: '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.',
  },
  {
    field: 'tool_choice',
    isBroken: ({ tool_choice: choice }) => choice?.type === 'any' || choice?.type === 'tool',
    problem: 'Thinking may not be enabled when tool_choice forces tool use.',
  },
];

/** Refuses options that do not go together with thinking. */
export function checkThinking(body: MessagesBody): void {
  if (body.thinking?.type !== 'enabled' && body.thinking?.type !== 'adaptive') return;
  const broken = thinkingRules.find(({ isBroken }) => isBroken(body));
  if (broken !== undefined) throw invalid(broken.field, broken.problem);
}

/** Thinking comes back as it was given out, and before the calls that it led to. */
export function checkThinkingBlocks(
  { messages, thinking }: MessagesBody,
  signer: ThinkingSigner,
): void {
  messages.forEach(({ content }, index) => {
    blocksOf(content).forEach((block, at) => {
      if (block.type === 'thinking' && !signer.isGenuine(block.thinking, block.signature)) {
        throw invalid(`messages.${index}.content.${at}`, 'Invalid `signature` in `thinking` block');
      }
    });
  });
  if (
    thinking?.type !== 'enabled' ||
    blocksOf(messages.at(-1)?.content)[0]?.type !== 'tool_result'
  ) {
    return;
  }
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const first = blocksOf(messages[last]?.content)[0]?.type;
  if (first === 'thinking' || first === 'redacted_thinking') return;
  throw invalid(
    `messages.${last}.content.0.type`,
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

const maxCacheMarks = 4;

export function checkCacheMarks(body: MessagesBody): void {
  const marks = [
    body,
    ...(body.tools ?? []),
    ...(typeof body.system === 'string' ? [] : (body.system ?? [])),
    ...body.messages
      .flatMap(({ content }) => blocksOf(content))
      .flatMap((block) => [
        block,
        ...(block.type === 'tool_result' ? blocksOf(block.content) : []),
      ]),
  ].filter((one) => 'cache_control' in one && one.cache_control).length;
  if (marks > maxCacheMarks) {
    throw invalid(
      'cache_control',
      `A maximum of ${maxCacheMarks} blocks with cache_control may be provided. Found ${marks}.`,
    );
  }
}

/** What a schema for structured output may not say. */
const unsupportedKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'not',
  'if',
  'oneOf',
];

/** Refuses a schema that structured output cannot keep to. */
export function checkFormat({ output_config: config, output_format: format }: MessagesBody): void {
  const schema = (config?.format ?? format)?.schema;
  if (schema !== undefined) checkSchema(schema, 'output_config.format.schema');
}

function checkSchema(schema: unknown, place: string): void {
  if (!isSchemaObject(schema)) return;
  const keyword = unsupportedKeywords.find((one) => one in schema);
  if (keyword !== undefined) {
    throw invalid(
      place,
      `For '${String(schema.type)}' type, property '${keyword}' is not supported`,
    );
  }
  if (schema.type === 'object' && schema.additionalProperties !== false) {
    throw invalid(
      place,
      "For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  for (const [, part] of partsOfSchema(schema)) checkSchema(part, place);
}
