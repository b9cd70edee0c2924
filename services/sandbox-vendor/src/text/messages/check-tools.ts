import { blocksOf, type Block, type MessagesBody, type Role } from './body.ts';
import { invalid } from './read-body.ts';

interface Turn {
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** Index of its first message. */
  readonly index: number;
}

/** Messages of one role in a row count as one turn. */
function turnsOf(messages: MessagesBody['messages']): readonly Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, index) => {
    const last = turns.at(-1);
    if (last?.role === role) {
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocksOf(content)] };
    } else turns.push({ role, blocks: blocksOf(content), index });
  });
  return turns;
}

const callsOf = (turn: Turn | undefined): readonly string[] =>
  (turn?.blocks ?? []).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
const resultsOf = (turn: Turn | undefined): readonly string[] =>
  (turn?.blocks ?? []).flatMap((block) =>
    block.type === 'tool_result' ? [block.tool_use_id] : [],
  );
const repeated = (ids: readonly string[]): string | undefined =>
  ids.find((id, index) => ids.indexOf(id) !== index);

/**
 * Every call needs its result at the beginning of the next user turn, and every result its call in
 * the turn before.
 */
export function checkPairing({ messages, tools }: MessagesBody): void {
  const turns = turnsOf(messages);
  const allCalls = turns.flatMap(callsOf);
  if (repeated(allCalls) !== undefined) throw invalid('messages', '`tool_use` ids must be unique');
  turns.forEach((turn, at) => {
    if (turn.role === 'assistant') checkEveryCall(turn, turns[at + 1]);
    else checkResults(turn, turns[at - 1]);
  });
  if (
    (allCalls.length > 0 || turns.some((turn) => resultsOf(turn).length > 0)) &&
    tools === undefined
  ) {
    throw invalid(
      'tools',
      'Requests which include `tool_use` or `tool_result` blocks must define tools',
    );
  }
}

function checkEveryCall(turn: Turn, next: Turn | undefined): void {
  const withResult = new Set(resultsOf(next));
  const open = callsOf(turn).filter((id) => !withResult.has(id));
  if (open.length === 0) return;
  throw invalid(
    `messages.${turn.index}`,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, before: Turn | undefined): void {
  const calls = new Set(callsOf(before));
  const results = resultsOf(turn);
  const orphan = results.find((id) => !calls.has(id));
  const place = `messages.${turn.index}.content`;
  if (orphan !== undefined) {
    throw invalid(
      place,
      `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  const twice = repeated(results);
  if (twice !== undefined) {
    throw invalid(
      place,
      `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
    );
  }
  const firstOther = turn.blocks.findIndex(({ type }) => type !== 'tool_result');
  const lastResult = turn.blocks.findLastIndex(({ type }) => type === 'tool_result');
  if (firstOther >= 0 && firstOther < lastResult) {
    throw invalid(
      place,
      '`tool_result` blocks must come before other content in the turn that follows `tool_use`',
    );
  }
}

/** Refuses tools and a choice among them that contradict each other. */
export function checkToolChoice({ tools = [], tool_choice: choice }: MessagesBody): void {
  const names = tools.map(({ name }) => name);
  if (repeated(names) !== undefined) throw invalid('tools', 'Tool names must be unique.');
  if (choice === undefined) return;
  if (tools.length === 0) {
    throw invalid('tool_choice', 'tool_choice may only be specified while providing tools');
  }
  if (choice.type === 'tool' && !names.includes(String(choice.name))) {
    throw invalid('tool_choice', `Tool '${String(choice.name)}' not found in provided tools`);
  }
}
