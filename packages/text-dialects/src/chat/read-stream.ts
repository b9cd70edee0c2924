import { estimateByteTokens } from '../estimate.ts';
import { type Fields, isFields, parseJson, wordsOf } from '../json.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  Finish,
  StreamReader,
  TextEvent,
  UpstreamFailure,
  Usage,
} from '../neutral.ts';
import { cutShort, failureIn, failureOfBody, unreadable } from '../upstream-failure.ts';
import { chatUsageIn } from '../wire/usage.ts';
import { failureOfChoice, finishOfChoice } from './finish.ts';
import type { ChatQuirks } from './quirks.ts';
import { createTextTemplate, type TextTemplate } from '../text-template.ts';
import { createSourceReader } from './sources.ts';
import { readWords, type Words } from './read-words.ts';
import { createThinkTagSplitter } from './think-tags.ts';
import { createToolQueue, type ToolQueue } from './tool-queue.ts';
import { markVendorSignature } from './vendor-signature.ts';

export interface ChatStream {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
  readonly quirks: ChatQuirks;
}

interface State {
  started: boolean;
  over: boolean;
  /** `[DONE]` was seen. */
  done: boolean;
  finish: Finish | undefined;
  usage: Usage | undefined;
  refusal: string;
  /** Told so far, for upstreams that report no tokens. */
  outputBytes: number;
}

/**
 * Reads the stream of a chat upstream. `finish` is told when it is seen; a late fragment may still
 * follow it, then `usage` and `end`. `end()` may also be called while the upstream is still open,
 * when it has finished and then stays silent.
 */
export function createChatStreamReader(stream: ChatStream): StreamReader {
  const state: State = {
    started: false,
    over: false,
    done: false,
    finish: undefined,
    usage: undefined,
    refusal: '',
    outputBytes: 0,
  };
  const { memory, quirks } = stream;
  const queue = createToolQueue({
    memory,
    identity: stream.identity,
    hold: quirks.bufferToolCalls,
  });
  const deltas = createDeltaReader({ state, queue, thinkTags: quirks.thinkTags });
  const template = createTextTemplate();
  const sources = createSourceReader();

  const usage = (): Usage =>
    state.usage ?? {
      inputTokens: memory.inputEstimate,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: estimateByteTokens(state.outputBytes),
      reasoningTokens: 0,
      estimated: true,
    };
  const fail = (failure: UpstreamFailure): readonly TextEvent[] => {
    state.over = true;
    // What failed before it began cost nothing, as far as anyone can tell.
    return state.started || state.usage !== undefined
      ? [
          { type: 'usage', usage: usage() },
          { type: 'failure', failure },
        ]
      : [{ type: 'failure', failure }];
  };
  const close = (): readonly TextEvent[] => {
    const events: TextEvent[] = [];
    deltas.flush((event) => events.push(event));
    state.over = true;
    return [...events, { type: 'usage', usage: usage() }, { type: 'end' }];
  };
  /** `[DONE]`: usage may still come behind it, and the end of the stream is near. */
  const done = (): readonly TextEvent[] => {
    state.done = true;
    if (state.finish !== undefined) {
      return state.usage === undefined && quirks.streamUsage ? [] : close();
    }
    if (!quirks.doneWithoutFinish || !state.started) return fail(cutShort);
    state.finish = { reason: queue.calls() > 0 ? 'tool_calls' : 'stop' };
    return [{ type: 'finish', finish: state.finish }, ...close()];
  };
  const chunk = (body: Fields): readonly TextEvent[] => {
    state.usage = chatUsageIn(body) ?? state.usage;
    const choice = choiceOf(body);
    if (choice !== undefined) return told(body, choice);
    return state.done && state.usage !== undefined ? close() : [];
  };
  const told = (body: Fields, choice: Fields): readonly TextEvent[] => {
    const events: TextEvent[] = state.started
      ? []
      : [{ type: 'start', id: wordsOf(body['id']) ?? '', ...earlyUsage(state.usage) }];
    state.started = true;
    deltas.read(choice, (event) => events.push(event));
    for (const event of sources.read(choice, body)) queue.words(event, (one) => events.push(one));
    const broken = failureOfChoice(choice);
    if (broken !== undefined) return [...events, ...fail(broken)];
    const finish = finishOfChoice(choice, { calls: queue.calls(), refusal: state.refusal }, memory);
    if (finish === undefined || state.finish !== undefined) return events;
    state.finish = finish;
    return [...events, { type: 'finish', finish }];
  };
  return {
    push(event) {
      const data = event.data.trim();
      if (state.over || data === '') return [];
      const known = template.match(data);
      if (known !== undefined) return deltas.text(known);
      if (data === '[DONE]') return done();
      const body = parseJson(data);
      if (!isFields(body)) {
        return fail(unreadable('The upstream sent a line that is not a JSON object.'));
      }
      learn(template, data, body);
      const failure =
        failureIn(body) ?? (event.event === 'error' ? failureOfBody(body) : undefined);
      return failure === undefined ? chunk(body) : fail(failure);
    },
    end: () => (state.over ? [] : state.finish === undefined ? fail(cutShort) : close()),
  };
}

/** Only a chunk that says a text and nothing else stands for those that follow. */
function learn(template: TextTemplate, data: string, body: Fields): void {
  const choice = choiceOf(body);
  const text =
    choice === undefined || (choice['finish_reason'] ?? null) !== null
      ? undefined
      : onlyContent(choice['delta']);
  if (text === undefined) template.forget();
  else template.learn(data, text);
}

const onlyContent = (delta: unknown): string | undefined =>
  isFields(delta) &&
  Object.entries(delta).every(
    ([key, value]) => key === 'content' || key === 'role' || (value ?? '') === '',
  )
    ? wordsOf(delta['content'])
    : undefined;

/** Figures that come with the first words are those of the prompt. */
const earlyUsage = (usage: Usage | undefined): { usage?: Usage } =>
  usage !== undefined && usage.inputTokens + usage.cachedInputTokens > 0 ? { usage } : {};

/**
 * The first choice, or undefined for chunks that have none: the usage, a vendor's filter results, a
 * ping.
 */
function choiceOf(body: Fields): Fields | undefined {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return choices.find(
    (choice): choice is Fields => isFields(choice) && (choice['index'] ?? 0) === 0,
  );
}

type Emit = (event: TextEvent) => void;

interface DeltaReader {
  /** A delta that is known to be a text. */
  text(text: string): TextEvent[];
  read(choice: Fields, emit: Emit): void;
  flush(emit: Emit): void;
}

/** Turns one delta into events: thoughts before text before calls, as they stand in a completion. */
function createDeltaReader({
  state,
  queue,
  thinkTags,
}: {
  state: State;
  queue: ToolQueue;
  thinkTags: boolean;
}): DeltaReader {
  const splitter = thinkTags ? createThinkTagSplitter() : undefined;
  const tell = (words: Extract<TextEvent, { type: 'text' | 'reasoning' }>, emit: Emit): void => {
    if (words.text === '') return;
    state.outputBytes += Buffer.byteLength(words.text);
    queue.words(words, emit);
  };
  const say = (type: 'text' | 'reasoning', text: string, emit: Emit): void => {
    tell({ type, text }, emit);
  };
  const counted =
    (emit: Emit): Emit =>
    (event) => {
      if (event.type === 'tool_arguments') state.outputBytes += Buffer.byteLength(event.text);
      emit(event);
    };
  const sayWords = (words: Words, emit: Emit): void => {
    say('reasoning', words.reasoning, emit);
    if (words.signature !== undefined) {
      queue.words(
        { type: 'reasoning_signature', signature: markVendorSignature(words.signature) },
        emit,
      );
    }
    if (words.redacted !== undefined) {
      queue.words({ type: 'reasoning_redacted', data: words.redacted }, emit);
    }
    const split =
      splitter === undefined || words.text === ''
        ? { reasoning: '', text: words.text }
        : splitter.push(words.text);
    say('reasoning', split.reasoning, emit);
    say('text', split.text, emit);
    state.refusal += words.refusal;
    tell({ type: 'text', text: words.refusal, isRefusal: true }, emit);
  };
  return {
    text(text) {
      const events: TextEvent[] = [];
      sayWords(
        { text, reasoning: '', refusal: '', signature: undefined, redacted: undefined },
        (event) => events.push(event),
      );
      return events;
    },
    read(choice, emit) {
      const delta = [choice['delta'], choice['message']].find(isFields) ?? {};
      sayWords(readWords(delta), emit);
      for (const fields of fragmentsOf(delta)) queue.fragment(fields, counted(emit));
    },
    flush(emit) {
      const rest = splitter?.flush();
      if (rest !== undefined) {
        say('reasoning', rest.reasoning, emit);
        say('text', rest.text, emit);
      }
      queue.flush(counted(emit));
    },
  };
}

function fragmentsOf(delta: Fields): readonly Fields[] {
  if (Array.isArray(delta['tool_calls'])) return delta['tool_calls'].filter(isFields);
  return isFields(delta['function_call']) ? [{ index: 0, function: delta['function_call'] }] : [];
}
