import type { CallDirective } from '../directives.ts';
import type { Conversation, ToolDefinition } from './conversation.ts';
import { minimalInstance } from './schema-instance.ts';

export interface PlannedCall {
  readonly name: string;
  readonly argumentsText: string;
}

/**
 * Which tools the model calls: what a directive says, else what the text names, else what it is
 * forced to.
 */
export function planCalls(
  conversation: Conversation,
  directed: readonly CallDirective[],
  plainText: string,
): readonly PlannedCall[] {
  const { tools, toolChoice, lastTurn, parallelCalls } = conversation;
  if (toolChoice.kind === 'none' || tools.length === 0) return [];
  const allowed =
    toolChoice.kind === 'named' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  // a directive of an earlier turn has been obeyed then; its results are what this turn is about
  const asked = lastTurn.hasText
    ? directed.flatMap((directive) => callsOf(directive, allowed))
    : [];
  const named = lastTurn.toolResults.length === 0 ? namedIn(plainText, allowed) : [];
  const wanted = asked.length > 0 ? asked : named;
  const calls =
    wanted.length === 0 && toolChoice.kind !== 'auto' ? allowed.slice(0, 1).map(callOf) : wanted;
  return parallelCalls ? calls : calls.slice(0, 1);
}

const callOf = ({ name, schema }: ToolDefinition): PlannedCall => ({
  name,
  argumentsText: JSON.stringify(minimalInstance(schema) ?? {}),
});

function callsOf(
  { name, argumentsText }: CallDirective,
  tools: readonly ToolDefinition[],
): readonly PlannedCall[] {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return [];
  return [argumentsText === undefined ? callOf(tool) : { name, argumentsText }];
}

/** Tools whose exact name stands in the text, in the order of the text. */
function namedIn(text: string, tools: readonly ToolDefinition[]): readonly PlannedCall[] {
  return tools
    .map((tool) => ({
      tool,
      index: text.search(
        new RegExp(`(?<![\\w-])${tool.name.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`),
      ),
    }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index)
    .map(({ tool }) => callOf(tool));
}
