import type { Fields } from '../json.ts';
import type { TextRequest, Tool } from '../neutral.ts';
import { cannotBeStrict, strictSchema } from '../schema/strict-schema.ts';
import { toolSchema } from '../schema/tool-schema.ts';
import { known, unique } from '../values.ts';
import { canForce, type FormatPlan } from './plan-format.ts';
import type { MessagesQuirks } from './quirks.ts';
import type { BlockContext } from './write-content.ts';

export interface WrittenTools {
  readonly tools: readonly Fields[];
  readonly toolChoice?: Fields;
  /** The client's choice was weakened to `auto`. */
  readonly choiceDropped: boolean;
}

/** Names of the tools that the conversation has called. */
export function calledNames({ turns }: TextRequest): readonly string[] {
  const names: string[] = [];
  for (const { parts } of turns) {
    for (const part of parts) if (part.type === 'tool_call') names.push(part.name);
  }
  return unique(names);
}

/** Tools and the choice among them. `thinking`: the model will think. */
export function writeTools(
  request: TextRequest,
  context: BlockContext,
  { format, thinking }: { format: FormatPlan; thinking: boolean },
): WrittenTools {
  const own = request.tools.map((tool) => writeTool(tool, context));
  // A conversation with calls is refused without definitions of what it calls.
  const stubs =
    own.length > 0
      ? []
      : calledNames(request).map((name) => ({
          name: context.toolName(name),
          input_schema: { type: 'object', properties: {} },
        }));
  const tools: Fields[] = [...own, ...stubs, ...(format.tool === undefined ? [] : [format.tool])];
  if (tools.length === 0) return { tools, choiceDropped: false };
  const choice = choiceOf(request, context, { format, forced: canForce(context.quirks, thinking) });
  return {
    tools,
    ...(choice.field !== undefined && { toolChoice: choice.field }),
    choiceDropped: choice.dropped,
  };
}

function writeTool(tool: Tool, { quirks, mark, toolName }: BlockContext): Fields {
  const schema = toolSchema(tool.parameters);
  const strict = tool.strict === true && quirks.strictTools && !cannotBeStrict(schema);
  return mark(
    {
      name: toolName(tool.name),
      ...known({ description: tool.description }),
      input_schema: strict ? strictSchema(schema) : schema,
      ...(strict && { strict: true }),
    },
    tool.cacheControl,
  );
}

interface ChoiceCase {
  readonly format: FormatPlan;
  readonly forced: boolean;
}

interface Choice {
  readonly field?: Fields;
  readonly dropped: boolean;
}

function choiceOf(
  request: TextRequest,
  context: BlockContext,
  { format, forced }: ChoiceCase,
): Choice {
  const { tools, toolChoice } = request;
  const single = singleCall(request, context.quirks);
  if (format.tool !== undefined) {
    return { field: formChoice(format.tool.name, request, context.quirks), dropped: false };
  }
  if (tools.length === 0 || toolChoice?.type === 'none') {
    return { field: { type: 'none' }, dropped: false };
  }
  // The switch needs a choice to stand in; `auto` is what no choice means.
  if (toolChoice === undefined) {
    return {
      ...(Object.keys(single).length > 0 && { field: { type: 'auto', ...single } }),
      dropped: false,
    };
  }
  if (toolChoice.type === 'auto' || !forced) {
    return { field: { type: 'auto', ...single }, dropped: toolChoice.type !== 'auto' };
  }
  if (toolChoice.type === 'tool') {
    return {
      field: { type: 'tool', name: context.toolName(toolChoice.name), ...single },
      dropped: false,
    };
  }
  return { field: { type: 'any', ...single }, dropped: false };
}

/** The completion goes into the form, or first into one of the client's tools. */
function formChoice(name: string, request: TextRequest, quirks: MessagesQuirks): Fields {
  if (request.tools.length > 0 && request.toolChoice?.type !== 'none') {
    return { type: 'any', ...singleCall(request, quirks) };
  }
  return { type: 'tool', name, ...singleCall({ parallelToolCalls: false }, quirks) };
}

const singleCall = (
  { parallelToolCalls }: Pick<TextRequest, 'parallelToolCalls'>,
  { parallelSwitch }: MessagesQuirks,
): Fields =>
  parallelToolCalls === false && parallelSwitch ? { disable_parallel_tool_use: true } : {};
