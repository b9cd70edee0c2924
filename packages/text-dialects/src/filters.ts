import { estimateByteTokens } from './estimate.ts';
import {
  createCallGate,
  createPrefillStage,
  createStopStage,
  createUnwrapStage,
  findStop,
  unwrapValue,
  withoutPrefill,
} from './filter-stages.ts';
import type { Completion, CompletionMemory, TextEvent, TextPart, Usage } from './neutral.ts';

export interface CompletionFilter {
  push(event: TextEvent): readonly TextEvent[];
  /** The gateway ended the completion itself: the caller breaks off the upstream. */
  isCut(): boolean;
}

/** Whether a completion has to go through a filter at all; most do not. */
const needsFilter = ({
  emulatedStops,
  singleToolCall,
  prefill,
  unwrapValue,
}: CompletionMemory): boolean =>
  emulatedStops.length > 0 || singleToolCall || prefill !== '' || unwrapValue;

/**
 * Does to a streamed completion what the upstream could not be told: stops at the client's words, lets
 * one tool call through, takes off the repeated beginning, unwraps a `{value: …}`.
 */
export function createCompletionFilter(memory: CompletionMemory): CompletionFilter {
  return needsFilter(memory)
    ? createWorkingFilter(memory)
    : { push: (event) => [event], isCut: () => false };
}

function createWorkingFilter(memory: CompletionMemory): CompletionFilter {
  const stages = [
    ...(memory.unwrapValue ? [createUnwrapStage()] : []),
    ...(memory.prefill === '' ? [] : [createPrefillStage(memory.prefill)]),
  ];
  const stops = createStopStage(memory.emulatedStops);
  const passes = memory.singleToolCall ? createCallGate() : () => true;
  const meter = createMeter(memory);
  let cut = false;
  const endedHere = (): boolean => cut;

  const told = (text: string): readonly TextEvent[] => {
    if (text !== '') meter.text(text);
    return text === '' ? [] : [{ type: 'text', text }];
  };
  const say = (text: string): readonly TextEvent[] => {
    const { before, stop } = stops.push(text);
    if (stop === undefined) return told(before);
    cut = true;
    return [
      ...told(before),
      { type: 'usage', usage: meter.usage() },
      { type: 'finish', finish: { reason: 'stop_sequence', stopSequence: stop } },
      { type: 'end' },
    ];
  };
  const flush = (): readonly TextEvent[] => {
    const text = stages.reduce((rest, stage) => stage.push(rest) + stage.flush(), '');
    const said = say(text);
    return endedHere() ? said : [...said, ...told(stops.flush())];
  };
  return {
    isCut: () => cut,
    push(event) {
      if (cut) return [];
      // A refusal is what the model said instead: there is nothing in it to cut or unwrap.
      if (event.type === 'text' && event.isRefusal !== true) {
        return say(stages.reduce((text, stage) => stage.push(text), event.text));
      }
      const held = endsText(event) ? flush() : [];
      meter.event(event);
      // Text that was held back may hold the end of the completion.
      return !endedHere() && passes(event) ? [...held, event] : held;
    },
  };
}

/** Figures and sources that come in the middle of a completion do not end its text. */
const endsText = ({ type }: TextEvent): boolean =>
  type !== 'start' && type !== 'usage' && type !== 'source';

/** Figures for a completion that is cut: the upstream will not come to report any. */
function createMeter({ inputEstimate }: CompletionMemory): {
  text(text: string): void;
  event(event: TextEvent): void;
  usage(): Usage;
} {
  let known: Usage = {
    inputTokens: inputEstimate,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
  let sizeBytes = 0;
  return {
    text(text) {
      sizeBytes += Buffer.byteLength(text);
    },
    event(event) {
      if ('text' in event) sizeBytes += Buffer.byteLength(event.text);
      if (event.type === 'usage' || event.type === 'start') known = event.usage ?? known;
    },
    usage: () => ({
      ...known,
      outputTokens: Math.max(known.outputTokens, estimateByteTokens(sizeBytes)),
      estimated: true,
    }),
  };
}

/** The same for a whole completion; the same object when there is nothing to do. */
export function filterCompletion(completion: Completion, memory: CompletionMemory): Completion {
  if (!needsFilter(memory)) return completion;
  const texts = completion.parts.filter((part) => part.type === 'text');
  const rewritten = memory.unwrapValue
    ? completion.parts.map((part) =>
        part.type === 'text' ? { ...part, text: unwrapValue(part.text) } : part,
      )
    : completion.parts;
  const parts = rewritten.map((part, index) =>
    part.type === 'text' && memory.prefill !== '' && completion.parts[index] === texts[0]
      ? { ...part, text: withoutPrefill(part.text, memory.prefill) }
      : part,
  );
  return cutAtStop(
    { ...completion, parts: memory.singleToolCall ? firstCallOnly(parts) : parts },
    memory.emulatedStops,
  );
}

function firstCallOnly(parts: Completion['parts']): Completion['parts'] {
  const first = parts.findIndex(({ type }) => type === 'tool_call');
  return parts.filter(({ type }, index) => type !== 'tool_call' || index === first);
}

function cutAtStop(completion: Completion, stops: readonly string[]): Completion {
  const at = completion.parts.findIndex(
    (part) => part.type === 'text' && findStop(part.text, stops).stop !== undefined,
  );
  if (at < 0) return completion;
  const { before, stop } = findStop((completion.parts[at] as TextPart).text, stops);
  const last: Completion['parts'] = before === '' ? [] : [{ type: 'text', text: before }];
  return {
    ...completion,
    parts: [...completion.parts.slice(0, at), ...last],
    finish: { reason: 'stop_sequence', ...(stop !== undefined && { stopSequence: stop }) },
  };
}
