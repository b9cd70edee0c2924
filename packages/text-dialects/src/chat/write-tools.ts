import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../json.ts';
import type { TextRequest, Tool } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';

export const hexOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

export interface ToolNames {
  /** The upstream's name of a tool that the client calls `name`. */
  of(name: string): string;
  /** Changed names, back to the client's. */
  readonly restore: Readonly<Record<string, string>>;
}

/**
 * Names that the upstream would refuse become their beginning and a hash: the same on every
 * request.
 */
export function createToolNames(longest: number): ToolNames {
  const restore: Record<string, string> = {};
  return {
    restore,
    of(name) {
      if (name.length <= longest && /^[a-zA-Z0-9_-]+$/.test(name)) return name;
      const changed = `${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - 9)}_${hexOf(name, 8)}`;
      restore[changed] = name;
      return changed;
    },
  };
}

/**
 * The fields of the request that concern tools; none at all without tools, which upstreams refuse.
 */
export function writeTools(
  request: TextRequest,
  { quirks, names, thinking }: { quirks: ChatQuirks; names: ToolNames; thinking: boolean },
): Fields {
  // Where the upstream cannot be told not to call a tool, it is told of none.
  const isSilent = request.toolChoice?.type === 'none' && quirks.toolChoice !== 'all';
  if (request.tools.length === 0 || isSilent) return {};
  const choice = writeChoice(request, { quirks, names, thinking });
  return {
    tools: request.tools.map((tool) => writeTool(tool, { quirks, names })),
    ...(choice !== undefined && quirks.toolChoice !== 'none' && { tool_choice: choice }),
    ...(request.parallelToolCalls !== undefined &&
      quirks.parallelToolCalls && { parallel_tool_calls: request.parallelToolCalls }),
  };
}

function writeTool(
  tool: Tool,
  { quirks, names }: { quirks: ChatQuirks; names: ToolNames },
): Fields {
  return {
    type: 'function',
    function: {
      name: names.of(tool.name),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: tool.parameters,
      ...(quirks.toolStrict &&
        tool.strict !== undefined && { strict: tool.strict && isStrict(tool.parameters) }),
    },
    ...(quirks.cacheControl &&
      tool.cacheControl !== undefined && { cache_control: tool.cacheControl }),
  };
}

function writeChoice(
  { toolChoice }: TextRequest,
  { quirks, names, thinking }: { quirks: ChatQuirks; names: ToolNames; thinking: boolean },
): unknown {
  if (toolChoice === undefined) return undefined;
  if (toolChoice.type === 'auto' || toolChoice.type === 'none') return toolChoice.type;
  if (!canForce(quirks, thinking)) return 'auto';
  return toolChoice.type === 'tool'
    ? { type: 'function', function: { name: names.of(toolChoice.name) } }
    : quirks.requiredWord;
}

const canForce = (quirks: ChatQuirks, thinking: boolean): boolean =>
  quirks.toolChoice === 'all' && (!thinking || quirks.forcedToolChoiceWithThinking);

/** Whether the client's choice is weakened, or cannot be told at all. */
export function losesChoice(
  { toolChoice, tools }: TextRequest,
  { quirks, thinking }: { quirks: ChatQuirks; thinking: boolean },
): boolean {
  if (toolChoice === undefined || tools.length === 0) return false;
  const isForced = toolChoice.type === 'required' || toolChoice.type === 'tool';
  if (toolChoice.type === 'none') return false;
  return quirks.toolChoice === 'none' || (isForced && !canForce(quirks, thinking));
}

const beyondStrict = [
  'allOf',
  'propertyNames',
  'patternProperties',
  'if',
  'not',
  'dependentRequired',
  'oneOf',
];

/**
 * Whether a schema keeps the rules that an upstream has for `strict: true`: every object closed,
 * every property required.
 */
export function isStrict(schema: unknown): boolean {
  if (!isFields(schema)) return true;
  if (beyondStrict.some((word) => schema[word] !== undefined)) return false;
  if (typeof schema['pattern'] === 'string' && /\(\?[=!<]/.test(schema['pattern'])) return false;
  if ((schema['type'] === 'object' || schema['properties'] !== undefined) && !isClosed(schema)) {
    return false;
  }
  return nestedSchemas(schema).every(isStrict);
}

function isClosed(schema: Fields): boolean {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = isFields(schema['properties']) ? Object.keys(schema['properties']) : [];
  return schema['additionalProperties'] === false && names.every((name) => required.includes(name));
}

function nestedSchemas(schema: Fields): readonly unknown[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((key) =>
    isFields(schema[key]) ? Object.values(schema[key]) : [],
  );
  const choices: readonly unknown[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...named, ...choices, schema['items']];
}
