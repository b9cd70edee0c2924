import { type Fields, lookUp } from '../json.ts';
import type { Tool, ToolChoice } from '../neutral.ts';
import { known, readBoolean, readList, readRecord, readText } from '../values.ts';
import { readCacheControl } from './read-content.ts';
import { invalid, unsupported } from './refuse.ts';

export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly customTools: readonly string[];
  /** The client speaks of `functions` and expects a `function_call`. */
  readonly legacy: boolean;
  /** Set where the choice itself says so, as in the messages dialect. */
  readonly parallelToolCalls?: boolean;
}

/** Where in a tool a dialect has its function. */
type FunctionPlace = '.function' | '';

const anyArguments: Tool['parameters'] = { type: 'object', properties: {} };
/** A custom tool takes a text; the other dialect knows objects only. */
const textArgument: Tool['parameters'] = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
};

const noTools: ReadTools = { tools: [], customTools: [], legacy: false };

/**
 * The tools of a chat request in each of their spellings: `tools`, `functions`, flat ones, and
 * those of the messages dialect. A flat one without a name is told where the client's own dialect
 * has the name.
 */
export function readTools(body: Fields, functionPlace: FunctionPlace = '.function'): ReadTools {
  if ((body['tools'] ?? body['functions'] ?? null) === null) return noTools;
  const listed = listOf(body, 'tools').map((item, index) =>
    readTool(item, `tools[${index}]`, functionPlace),
  );
  const functions = listOf(body, 'functions').map((item, index) =>
    readFunction(readRecord(item) ?? {}, `functions[${index}]`),
  );
  const legacy = listed.length === 0 && functions.length > 0;
  const tools = [...listed.map(({ tool }) => tool), ...functions];
  const customTools = listed.flatMap(({ tool, custom }) => (custom ? [tool.name] : []));
  const choice = tools.length === 0 ? {} : readChoice(body, tools);
  return { tools, customTools, legacy, ...choice };
}

function listOf(body: Fields, field: string): readonly unknown[] {
  const value = body[field];
  const list = value === null || value === undefined ? [] : readList(value);
  if (list === undefined) throw invalid(field, 'must be an array');
  return list;
}

function readTool(
  item: unknown,
  path: string,
  functionPlace: FunctionPlace,
): { tool: Tool; custom: boolean } {
  const field = readRecord(item);
  if (field === undefined) throw invalid(path, 'must be an object');
  const type = readText(field['type']) ?? 'function';
  if (field['input_schema'] !== undefined) {
    return {
      tool: readFunction({ ...field, parameters: field['input_schema'] }, path),
      custom: false,
    };
  }
  if (type === 'function') {
    const inner = readRecord(field['function']);
    const tool =
      inner === undefined
        ? readFunction(field, `${path}${functionPlace}`)
        : readFunction(inner, `${path}.function`);
    return {
      tool: { ...tool, ...known({ cacheControl: readCacheControl(field['cache_control']) }) },
      custom: false,
    };
  }
  if (type === 'custom') {
    return {
      tool: readCustom(readRecord(field['custom']) ?? field, `${path}.custom`),
      custom: true,
    };
  }
  throw unsupported(
    `${path}.type`,
    'must be function or custom: tools that run at the vendor are not available here',
  );
}

function readFunction(field: Fields, path: string): Tool {
  return {
    name: nameOf(field, path),
    parameters: readRecord(field['parameters']) ?? anyArguments,
    ...known({
      description: readText(field['description']),
      strict: readBoolean(field['strict']),
      cacheControl: readCacheControl(field['cache_control']),
    }),
  };
}

/** A grammar cannot be enforced by the other dialect, so it is described. */
function readCustom(field: Fields, path: string): Tool {
  const format = readRecord(field['format']);
  const grammar = readRecord(format?.['grammar']) ?? format;
  const definition = readText(grammar?.['definition']);
  const hint =
    definition === undefined
      ? undefined
      : `The input must follow this ${readText(grammar?.['syntax']) ?? ''} grammar:\n${definition}`;
  const description = [readText(field['description']), hint]
    .filter((text) => text !== undefined)
    .join('\n\n');
  return {
    name: nameOf(field, path),
    parameters: textArgument,
    ...(description === '' ? {} : { description }),
  };
}

function nameOf(field: Fields, path: string): string {
  const name = readText(field['name']);
  if (name === undefined) throw invalid(`${path}.name`, 'must be the name of the tool');
  return name;
}

type Choice = Pick<ReadTools, 'toolChoice' | 'parallelToolCalls'> & {
  readonly tools?: readonly Tool[];
};

const choiceWords: Readonly<Record<string, ToolChoice>> = {
  none: { type: 'none' },
  auto: { type: 'auto' },
  required: { type: 'required' },
  any: { type: 'required' },
};

function readChoice(body: Fields, tools: readonly Tool[]): Choice {
  const param = (body['tool_choice'] ?? null) === null ? 'function_call' : 'tool_choice';
  const value = body[param] ?? null;
  return value === null ? {} : readChosen(value, tools, param);
}

function readChosen(value: unknown, tools: readonly Tool[], param: string): Choice {
  const field = readRecord(value);
  const word = readText(value) ?? readText(field?.['type']);
  const plain = word === undefined ? undefined : lookUp(choiceWords, word);
  const single = field?.['disable_parallel_tool_use'] === true ? { parallelToolCalls: false } : {};
  if (plain !== undefined) return { toolChoice: plain, ...single };
  if (field === undefined) {
    throw invalid(param, 'must be none, auto, required or an object that names a tool');
  }
  if (word === 'allowed_tools') return readAllowedTools(field, tools, param);
  return { toolChoice: { type: 'tool', name: chosenName(field, tools, param) }, ...single };
}

/**
 * `{type:"function",function:{name}}`, its custom and flat forms, `{type:"tool",name}`, or the
 * legacy `{name}`.
 */
function chosenName(field: Fields, tools: readonly Tool[], param: string): string {
  const inner = readRecord(field['function']) ?? readRecord(field['custom']) ?? field;
  const name = readText(inner['name']);
  if (name === undefined || !tools.some((tool) => tool.name === name)) {
    throw invalid(param, 'must name one of the tools of this request');
  }
  return name;
}

/** The other dialect has no such list: the tools that are not allowed are not told. */
function readAllowedTools(field: Fields, tools: readonly Tool[], param: string): Choice {
  const allowed = readRecord(field['allowed_tools']) ?? field;
  const names = new Set(
    (readList(allowed['tools']) ?? []).map((item) =>
      chosenName(readRecord(item) ?? {}, tools, `${param}.allowed_tools.tools`),
    ),
  );
  if (names.size === 0) return { tools: [], toolChoice: { type: 'none' } };
  return {
    tools: tools.filter(({ name }) => names.has(name)),
    toolChoice: { type: allowed['mode'] === 'required' ? 'required' : 'auto' },
  };
}
