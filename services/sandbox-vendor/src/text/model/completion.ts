import type { TextInstructions } from '../directives.ts';
import { composeText, composeThinking, fitText } from './compose.ts';
import type { Conversation } from './conversation.ts';
import { planCalls } from './plan-calls.ts';
import { minimalInstance } from './schema-instance.ts';
import { cutToTokens, tokensOfText } from './tokens.ts';

export type Part =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly argumentsText: string;
    };

export type Finish = 'end' | 'length' | 'stop-sequence' | 'calls' | 'refusal';

/** What the model says, before a dialect writes it out. */
export interface Completion {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly stopSequence?: string;
  /** `output` holds the thinking, too. */
  readonly tokens: { readonly thinking: number; readonly output: number };
}

/**
 * The scripted model: the same conversation always gets the same completion, but for the ids of its
 * calls.
 */
export function complete(
  conversation: Conversation,
  instructions: TextInstructions,
  newCallId: () => string,
): Completion {
  const { parts, ...end } = spoken(conversation, instructions, newCallId);
  const thinking: Part[] = thinks(conversation, instructions)
    ? [{ kind: 'thinking', text: composeThinking(conversation, instructions.plainText) }]
    : [];
  const kept = cutToLimit([...thinking, ...parts], conversation.maxTokens ?? Infinity);
  const tokens = {
    thinking: sum(kept.parts.filter(({ kind }) => kind === 'thinking').map(tokensOfPart)),
    output: sum(kept.parts.map(tokensOfPart)),
  };
  return kept.complete
    ? { parts: kept.parts, tokens, ...end }
    : { parts: kept.parts, tokens, finish: 'length' };
}

const thinks = ({ thinking }: Conversation, { directives }: TextInstructions): boolean =>
  thinking !== 'off' || directives.think !== undefined;

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** Tokens of a part; a call counts its name and its arguments. */
const tokensOfPart = (part: Part): number =>
  tokensOfText(part.kind === 'call' ? part.name + part.argumentsText : part.text);

type Spoken = Pick<Completion, 'parts' | 'finish' | 'stopSequence'>;

function spoken(
  conversation: Conversation,
  instructions: TextInstructions,
  newCallId: () => string,
): Spoken {
  const { directives, calls: directed, plainText } = instructions;
  if (directives.refuse !== undefined) {
    return {
      parts: [{ kind: 'text', text: 'This sandbox cannot help with that.' }],
      finish: 'refusal',
    };
  }
  const calls = planCalls(conversation, directed, plainText);
  if (calls.length === 0) {
    return withStop(textOf(conversation, instructions), conversation.stopSequences);
  }
  const opening: readonly Part[] =
    directives.tokens === undefined
      ? []
      : [{ kind: 'text', text: textOf(conversation, instructions) }];
  const broken = directives['broken-arguments'] !== undefined;
  return {
    parts: [
      ...opening,
      ...calls.map(({ name, argumentsText }): Part => ({
        kind: 'call',
        id: newCallId(),
        name,
        argumentsText: broken ? argumentsText.slice(0, -1) : argumentsText,
      })),
    ],
    finish: 'calls',
  };
}

function textOf(conversation: Conversation, { directives, plainText }: TextInstructions): string {
  const { format } = conversation;
  if (format !== undefined) {
    return JSON.stringify(
      format.schema === undefined ? { completion: plainText } : minimalInstance(format.schema),
    );
  }
  const text = composeText(conversation, plainText);
  return directives.tokens === undefined ? text : fitText(text, directives.tokens * 4);
}

function withStop(text: string, stopSequences: readonly string[]): Spoken {
  const [first] = stopSequences
    .map((sequence) => ({ sequence, index: text.indexOf(sequence) }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index);
  if (first === undefined) return { parts: [{ kind: 'text', text }], finish: 'end' };
  const before = text.slice(0, first.index);
  return {
    parts: before === '' ? [] : [{ kind: 'text', text: before }],
    finish: 'stop-sequence',
    stopSequence: first.sequence,
  };
}

function cutToLimit(
  parts: readonly Part[],
  maxTokens: number,
): { parts: readonly Part[]; complete: boolean } {
  const kept: Part[] = [];
  let left = maxTokens;
  for (const part of parts) {
    const tokens = tokensOfPart(part);
    if (tokens > left) return { parts: [...kept, ...cutPart(part, left)], complete: false };
    kept.push(part);
    left -= tokens;
  }
  return { parts: kept, complete: true };
}

/** What is left of a part; a call is left out unless its name is said. */
function cutPart(part: Part, tokens: number): readonly Part[] {
  if (part.kind !== 'call') {
    return tokens === 0 ? [] : [{ ...part, text: cutToTokens(part.text, tokens) }];
  }
  const said = cutToTokens(part.name + part.argumentsText, tokens);
  return said.length < part.name.length
    ? []
    : [{ ...part, argumentsText: said.slice(part.name.length) }];
}
