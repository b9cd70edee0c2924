export interface ToolFragment {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments: string };
  readonly custom?: { readonly name?: string; readonly input: string };
}

export interface Delta {
  readonly role?: string;
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly refusal?: string;
  readonly tool_calls?: readonly ToolFragment[];
  readonly function_call?: { readonly name?: string; readonly arguments: string };
}

export interface Choice {
  readonly index: number;
  readonly delta: Delta;
  readonly finish_reason: string | null;
}

interface ChunkUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A chunk, or an error, which has no choices. */
export interface Chunk {
  readonly id?: string;
  readonly created?: number;
  readonly model?: string;
  readonly object?: string;
  readonly choices?: readonly Choice[];
  readonly usage?: ChunkUsage | null;
  readonly error?: Readonly<Record<string, unknown>>;
}

type Rule = readonly [isKept: boolean, otherwise: string];

const broken = (rules: readonly Rule[]): string[] =>
  rules.filter(([isKept]) => !isKept).map(([, otherwise]) => otherwise);

/**
 * What is wrong with a stream of chat chunks, as the strictest of the clients see it; empty when
 * nothing is. The rules: one `data:` line an event and nothing else; the same id, time and model
 * throughout; the role first; tools numbered from 0 with id, type and name in their first fragment
 * only; whole arguments; a finish reason, then usage only if asked for, then `[DONE]`.
 */
export function chatStreamViolations(
  stream: string,
  { includeUsage = false }: { includeUsage?: boolean } = {},
): string[] {
  const events = stream.split('\n\n');
  const rest = events.pop();
  const data = events.map((event) => event.slice('data: '.length));
  const last = data.pop() ?? '';
  const failed = last.startsWith('{"error":');
  const lines = broken([
    [rest === '', 'the stream does not end with a blank line'],
    [
      events.every((event) => event.startsWith('data: ') && !event.includes('\n')),
      'an event is not one data: line',
    ],
    [failed || last === '[DONE]', 'neither [DONE] nor an error ends the stream'],
    [!data.includes('[DONE]'), '[DONE] is not the last'],
  ]);
  if (lines.length > 0) return lines;
  const chunks = data.map((line) => JSON.parse(line) as Chunk);
  const spoken = chunks.filter(({ choices }) => choices?.length !== 0);
  return [
    ...broken(sameThroughout(chunks)),
    ...broken(usageRules(chunks, includeUsage, failed)),
    ...broken(choiceRules(spoken, failed)),
    ...callViolations(spoken, failed),
  ];
}

const sameThroughout = (chunks: readonly Chunk[]): Rule[] => [
  [
    new Set(
      chunks.map(({ id, created, model, object }) => JSON.stringify([id, created, model, object])),
    ).size <= 1,
    'id, created, model or object changes',
  ],
];

function usageRules(chunks: readonly Chunk[], includeUsage: boolean, failed: boolean): Rule[] {
  const empty = chunks.filter(({ choices }) => choices?.length === 0);
  const usage = empty[0]?.usage;
  const ordinary = chunks.filter(({ choices }) => choices?.length !== 0);
  return [
    [
      empty.length === (includeUsage && !failed ? 1 : 0),
      'the usage chunk is missing or was not asked for',
    ],
    [empty.length === 0 || empty[0] === chunks.at(-1), 'the usage chunk is not the last'],
    [
      !usage || usage.total_tokens === usage.prompt_tokens + usage.completion_tokens,
      'the total is not the sum',
    ],
    [
      ordinary.every((chunk) => chunk.usage === (includeUsage ? null : undefined)),
      'usage stands on an ordinary chunk',
    ],
  ];
}

const reasons: readonly unknown[] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'function_call',
];

function choiceRules(spoken: readonly Chunk[], failed: boolean): Rule[] {
  const choices = spoken.flatMap((chunk) => chunk.choices ?? []);
  const given = choices.filter(({ finish_reason: reason }) => reason !== null);
  const shape: Rule[] = [
    [
      spoken.every((chunk) => chunk.choices?.length === 1 && chunk.choices[0]?.index === 0),
      'a chunk is not one choice of index 0',
    ],
    [choices.every(({ delta }) => typeof delta === 'object'), 'a choice has no delta'],
    [
      choices.length === 0 ? failed : choices[0]?.delta.role === 'assistant',
      'the first chunk has no role',
    ],
    [
      given.every(({ finish_reason: reason }) => reasons.includes(reason)),
      'the finish reason is unknown',
    ],
  ];
  if (failed) return shape;
  return [
    ...shape,
    [given.length === 1, 'there is not exactly one finish reason'],
    [given[0] === choices.at(-1), 'something follows the finish reason'],
  ];
}

function callViolations(spoken: readonly Chunk[], failed: boolean): string[] {
  const choices = spoken.flatMap((chunk) => chunk.choices ?? []);
  const fragments = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  const calls = new Map<number, ToolFragment[]>();
  const found: string[] = [];
  for (const fragment of fragments) {
    const call = calls.get(fragment.index);
    if (call === undefined) calls.set(fragment.index, [fragment]);
    else call.push(fragment);
    // Told one after another: a fragment always belongs to the newest call.
    if (fragment.index !== calls.size - 1) found.push(`index ${fragment.index} does not follow`);
    found.push(...broken(call === undefined ? firstRules(fragment) : laterRules(fragment)));
  }
  return [
    ...found,
    ...broken(endRules([...calls.values()], choices.at(-1)?.finish_reason, failed)),
  ];
}

const firstRules = ({ id, type, function: call, custom }: ToolFragment): Rule[] => [
  [
    typeof id === 'string' &&
      typeof type === 'string' &&
      typeof (call ?? custom)?.name === 'string',
    'a first fragment lacks id, type or name',
  ],
];

const laterRules = (fragment: ToolFragment): Rule[] => [
  [
    !('id' in fragment) &&
      !('type' in fragment) &&
      (fragment.function ?? fragment.custom)?.name === undefined,
    'a later fragment repeats id, type or name',
  ],
];

function endRules(
  calls: readonly (readonly ToolFragment[])[],
  reason: string | null | undefined,
  failed: boolean,
): Rule[] {
  const ids = calls.map(([first]) => first?.id);
  const unique: Rule = [new Set(ids).size === ids.length, 'an id is used twice'];
  if (failed) return [unique];
  const functions = calls.filter(([first]) => first?.type === 'function');
  const isWhole = (call: readonly ToolFragment[]): boolean =>
    isObjectText(call.map((fragment) => fragment.function?.arguments ?? '').join(''));
  return [
    unique,
    [reason === 'length' || functions.every(isWhole), 'the arguments are not an object'],
    [reason !== 'tool_calls' || calls.length > 0, 'tool_calls without a call'],
    [reason !== 'stop' || calls.length === 0, 'calls that end with stop'],
  ];
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
