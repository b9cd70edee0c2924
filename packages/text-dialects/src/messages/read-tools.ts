import { type Fields, isFields, wordsOf } from '../json.ts';
import type { TextPart, Tool, ToolChoice } from '../neutral.ts';
import { textPart } from './read-blocks.ts';
import { readCacheControl, readList, readName, readObject, refuse } from './read-fields.ts';
import { clientToolOf } from './typed-tools.ts';

export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** What the model must know about tools that were left out. */
  readonly notes: readonly TextPart[];
  readonly dropped: readonly string[];
}

const noTools: ReadTools = { tools: [], notes: [], dropped: [] };

/**
 * Tools, and which of them the model must use. Tools that the originator's API runs itself are left
 * out.
 */
export const readTools = (body: Fields): ReadTools =>
  (body['tools'] ?? body['tool_choice'] ?? null) === null ? noTools : readGiven(body);

function readGiven(body: Fields): ReadTools {
  const listed = readList(body['tools'] ?? [], 'tools');
  const tools: Tool[] = [];
  const serverTools: string[] = [];
  listed.forEach((item, index) => {
    const fields = readObject(item, `tools[${index}]`);
    const tool = readTool(fields, `tools[${index}]`);
    if (tool === undefined) serverTools.push(wordsOf(fields['name']) ?? String(fields['type']));
    else tools.push(tool);
  });
  const choice = readChoice(body['tool_choice']);
  const lost = choice?.toolChoice.type === 'tool' && serverTools.includes(choice.toolChoice.name);
  // A helper request of coding agents offers web search alone: without a word the model would
  // invent results.
  const missing = serverTools.filter((name) => !/^tool_search/.test(name));
  const mustTell = missing.length > 0 && (lost || tools.length === 0);
  return {
    tools,
    ...(tools.length > 0 && choice !== undefined && choiceWithout(choice, lost)),
    notes: mustTell
      ? [
          textPart(
            `The tool ${missing.join(', ')} is not available here. Say plainly that it could not be used, and do not invent its results.`,
          ),
        ]
      : [],
    dropped: serverTools.map((name) => `tools.${name}`),
  };
}

type ReadChoice = Pick<ReadTools, 'parallelToolCalls'> & { readonly toolChoice: ToolChoice };

const choiceWithout = (choice: ReadChoice, lost: boolean): ReadChoice =>
  lost ? { ...choice, toolChoice: { type: 'auto' } } : choice;

function readTool(tool: Fields, at: string): Tool | undefined {
  const type = wordsOf(tool['type']) ?? 'custom';
  const known = type === 'custom' ? undefined : clientToolOf(type);
  if (known !== undefined && !isFields(tool['input_schema'])) {
    return {
      name: wordsOf(tool['name']) ?? known.name,
      description: known.description,
      parameters: known.parameters,
      ...readCacheControl(tool),
    };
  }
  if (type !== 'custom' && !isFields(tool['input_schema'])) return undefined;
  const description = wordsOf(tool['description']);
  return {
    name: readName(tool['name'], `${at}.name`),
    ...(description !== undefined && { description }),
    parameters: readSchema(tool['input_schema'], `${at}.input_schema`),
    ...(typeof tool['strict'] === 'boolean' && { strict: tool['strict'] }),
    ...readCacheControl(tool),
  };
}

/**
 * The client's own object when it is sound: rebuilt schemas would defeat the vendor's cache of the
 * prompt.
 */
function readSchema(schema: unknown, param: string): Fields {
  if (schema === undefined || schema === null) return { type: 'object', properties: {} };
  const fields = readObject(schema, param);
  return fields['type'] === 'object' && isFields(fields['properties'])
    ? fields
    : {
        ...fields,
        type: 'object',
        properties: isFields(fields['properties']) ? fields['properties'] : {},
      };
}

const choiceTypes = { auto: 'auto', any: 'required', none: 'none' } as const;

function readChoice(value: unknown): ReadChoice | undefined {
  if (value === undefined || value === null) return undefined;
  const choice = readObject(value, 'tool_choice');
  const parallel = choice['disable_parallel_tool_use'] === true ? { parallelToolCalls: false } : {};
  const { type } = choice;
  if (type === 'tool') {
    return {
      toolChoice: { type: 'tool', name: readName(choice['name'], 'tool_choice.name') },
      ...parallel,
    };
  }
  if (type !== 'auto' && type !== 'any' && type !== 'none') {
    throw refuse('tool_choice.type', 'must be auto, any, tool or none');
  }
  return { toolChoice: { type: choiceTypes[type] }, ...parallel };
}
