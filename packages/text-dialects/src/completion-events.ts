import type {
  Completion,
  CompletionMemory,
  Finish,
  ReasoningPart,
  TextEvent,
  TextPart,
  ToolCallPart,
  UpstreamFailure,
  Usage,
} from './neutral.ts';
import { movedSource } from './source.ts';
import { known } from './values.ts';
import { cutShort, UpstreamFailureError } from './upstream-failure.ts';

/** A whole completion told as a stream. */
export function eventsOfCompletion({ id, parts, finish, usage }: Completion): TextEvent[] {
  return [
    { type: 'start', id, usage },
    ...eventsOfParts(parts),
    { type: 'finish', finish },
    { type: 'usage', usage },
    { type: 'end' },
  ];
}

function eventsOfParts(parts: Completion['parts']): TextEvent[] {
  let offset = 0;
  return parts.flatMap((part) => {
    if (part.type !== 'text') return eventsOfPart(part);
    const sources = (part.sources ?? []).map((source): TextEvent => ({
      type: 'source',
      source: movedSource(source, offset),
    }));
    offset += part.text.length;
    const { text, isRefusal } = part;
    return text === '' ? sources : [{ type: 'text', text, ...known({ isRefusal }) }, ...sources];
  });
}

function eventsOfPart(
  part: Exclude<Completion['parts'][number], { readonly type: 'text' }>,
): TextEvent[] {
  if (part.type === 'tool_call') {
    const { id, name, argumentsText } = part;
    return [
      { type: 'tool_start', id, name },
      ...(argumentsText === '' ? [] : [{ type: 'tool_arguments', text: argumentsText } as const]),
      { type: 'tool_end' },
    ];
  }
  if (part.redacted !== undefined) return [{ type: 'reasoning_redacted', data: part.redacted }];
  return [
    ...(part.text === '' ? [] : [{ type: 'reasoning', text: part.text } as const]),
    ...(part.signature === undefined
      ? []
      : [{ type: 'reasoning_signature', signature: part.signature } as const]),
  ];
}

export interface CompletionCollector {
  push(event: TextEvent): void;
  /** The end or a failure was told. */
  isOver(): boolean;
  /**
   * The whole completion. Throws `UpstreamFailureError` when the stream told a failure, or did not
   * finish.
   */
  completion(): Completion;
}

type Mutable<Part> = { -readonly [Field in keyof Part]: Part[Field] };
type OpenPart = Mutable<TextPart> | Mutable<ReasoningPart> | Mutable<ToolCallPart>;

/** Gathers a stream into one completion. */
export function createCompletionCollector({
  inputEstimate,
}: CompletionMemory): CompletionCollector {
  const parts: OpenPart[] = [];
  let id = '';
  let finish: Finish | undefined;
  let failure: UpstreamFailure | undefined;
  let ended = false;
  let usage: Usage = {
    inputTokens: inputEstimate,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };

  const takers: {
    readonly [Type in TextEvent['type']]: (event: Extract<TextEvent, { type: Type }>) => void;
  } = {
    start: (event) => {
      ({ id, usage = usage } = event);
    },
    text: ({ text }) => {
      openText(parts).text += text;
    },
    source: ({ source }) => {
      const part = openText(parts);
      part.sources = [...(part.sources ?? []), movedSource(source, -textBefore(parts, part))];
    },
    reasoning: ({ text }) => {
      openReasoning(parts).text += text;
    },
    reasoning_signature: ({ signature }) => {
      openReasoning(parts).signature = signature;
    },
    reasoning_redacted: ({ data }) => {
      parts.push({ type: 'reasoning', text: '', redacted: data });
    },
    tool_start: (event) => {
      parts.push({ type: 'tool_call', id: event.id, name: event.name, argumentsText: '' });
    },
    tool_arguments: ({ text }) => {
      const last = parts.at(-1);
      if (last?.type === 'tool_call') last.argumentsText += text;
    },
    tool_end: () => undefined,
    usage: (event) => {
      ({ usage } = event);
    },
    finish: (event) => {
      ({ finish } = event);
    },
    failure: (event) => {
      ({ failure } = event);
    },
    end: () => {
      ended = true;
    },
  };
  return {
    isOver: () => ended || failure !== undefined,
    push: (event) => {
      (takers[event.type] as (event: TextEvent) => void)(event);
    },
    completion() {
      if (failure !== undefined || finish === undefined) {
        throw new UpstreamFailureError(failure ?? cutShort);
      }
      return { id, parts, finish, usage };
    },
  };
}

/** UTF-16 units of text before one of the parts. */
function textBefore(parts: readonly OpenPart[], until: OpenPart): number {
  let length = 0;
  for (const part of parts) {
    if (part === until) break;
    if (part.type === 'text') length += part.text.length;
  }
  return length;
}

function openText(parts: OpenPart[]): Mutable<TextPart> {
  const last = parts.at(-1);
  if (last?.type === 'text') return last;
  const part: Mutable<TextPart> = { type: 'text', text: '' };
  parts.push(part);
  return part;
}

/** A signature closes its thought; what follows is another one. */
function openReasoning(parts: OpenPart[]): Mutable<ReasoningPart> {
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && last.signature === undefined && last.redacted === undefined) {
    return last;
  }
  const part: Mutable<ReasoningPart> = { type: 'reasoning', text: '' };
  parts.push(part);
  return part;
}
