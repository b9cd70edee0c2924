import {
  directivePattern,
  listDirectives,
  readDirectives,
  type Argument,
  type DirectiveSpec,
  type Found,
  type ListedDirective,
} from '../directive-syntax.ts';

interface TextDirectiveSpec extends DirectiveSpec {
  readonly when: 'request' | 'answer' | 'stream';
}

const pause: Argument = { unit: 'seconds', min: 0, max: 86_400 };

/**
 * Everything a text model of the sandbox can be told by words in the last user text. `GET /` shows
 * this table.
 */
export const textDirectiveTable = {
  'rate-limited': { when: 'request', description: 'refused: 429 with retry-after: 2' },
  overloaded: {
    when: 'request',
    description: 'refused: 529 overloaded_error on messages, 503 on the others',
  },
  'server-error': { when: 'request', description: 'refused: 500' },
  context: {
    when: 'request',
    description: 'refused: 400, the prompt is longer than the context of the model',
  },
  html: { when: 'request', description: 'gets a 502 HTML page' },
  reset: { when: 'request', description: 'the connection is reset before any byte of a response' },
  'slow-first-byte': {
    when: 'request',
    argument: pause,
    description: 'the response begins so much later',
  },
  tokens: {
    when: 'answer',
    argument: { unit: 'count', min: 1, max: 100_000 },
    description: 'a text of exactly this length; it also precedes tool calls',
  },
  pace: {
    when: 'answer',
    argument: { unit: 'count', min: 0, max: 100_000 },
    description: 'tokens in a second; 0 is as fast as possible',
  },
  think: { when: 'answer', description: 'thinks before it responds, asked or not' },
  refuse: {
    when: 'answer',
    description:
      'ends with stop_reason refusal on messages, finish_reason content_filter on chat, content_filter in incomplete_details on responses',
  },
  'broken-arguments': {
    when: 'answer',
    description: 'the arguments of tool calls end before their JSON does',
  },
  'no-usage': { when: 'answer', description: 'tells no token counts' },
  'early-end': {
    when: 'stream',
    description: 'the body ends in the middle as if it were complete, without its last events',
  },
  'cut-mid-stream': {
    when: 'stream',
    description: 'the connection is cut in the middle of the body',
  },
  'error-mid-stream': {
    when: 'stream',
    description: 'an error event in the middle, then the end; without streaming a 500',
  },
  stall: {
    when: 'stream',
    description: 'sends nothing more from the middle on and keeps the connection open',
  },
  garbage: {
    when: 'stream',
    description:
      'a data line in the middle that is not JSON; without streaming a body that is not JSON',
  },
  'slow-pings': {
    when: 'stream',
    description:
      'a ping (messages) or a comment (the others) in every half second without an event, also before the first one',
  },
} as const satisfies Readonly<Record<string, TextDirectiveSpec>>;

export type TextDirectives = Found<typeof textDirectiveTable>;

/** A tool call that was asked for by `[call=NAME]` or `[call=NAME {"key":"value"}]`. */
export interface CallDirective {
  readonly name: string;
  readonly argumentsText?: string;
}

export interface TextInstructions {
  readonly directives: TextDirectives;
  readonly calls: readonly CallDirective[];
  /** The text without its directives. */
  readonly plainText: string;
  /** What is written wrong, and what would be right. */
  readonly problem?: string;
}

/** Reads the directives of one user text. */
export function readInstructions(text: string): TextInstructions {
  const { calls, rest } = readCalls(text);
  const plainText = rest
    .replace(directivePattern, (written, name: string) =>
      Object.hasOwn(textDirectiveTable, name) ? '' : written,
    )
    .replace(/[ \t]{2,}/g, ' ')
    .trim();
  return { ...readDirectives(textDirectiveTable, rest), calls, plainText };
}

function readCalls(text: string): { calls: readonly CallDirective[]; rest: string } {
  const calls: CallDirective[] = [];
  const kept: string[] = [];
  let end = 0;
  for (const match of text.matchAll(/\[call=([^\s\]{]+)\s*/g)) {
    if (match.index < end) continue; // inside the arguments of the one before
    const start = match.index + match[0].length;
    const argumentsEnd = text[start] === '{' ? endOfObject(text, start) : start;
    if (argumentsEnd === undefined || text[argumentsEnd] !== ']') continue;
    calls.push({
      name: String(match[1]),
      ...(argumentsEnd > start && { argumentsText: text.slice(start, argumentsEnd) }),
    });
    kept.push(text.slice(end, match.index));
    end = argumentsEnd + 1;
  }
  return { calls, rest: [...kept, text.slice(end)].join('') };
}

/** Where the JSON object that begins at `start` is over: braces inside strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:\\.|[^"\\])*"|[{}]/gs)) {
    if (match[0] === '{') depth += 1;
    else if (match[0] === '}') depth -= 1;
    if (depth === 0) return start + match.index + 1;
  }
  return undefined;
}

/** The table for `GET /`. */
export const textDirectiveList = (): readonly ListedDirective[] => [
  ...listDirectives(textDirectiveTable),
  {
    directive: '[call=NAME {"key":"value"}]',
    when: 'answer',
    description:
      'calls this tool of the request; without arguments they are made from its schema. Several directives make parallel calls',
  },
];
