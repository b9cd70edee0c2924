import { describeError } from '@gateway/domain';
import { createAnswerCollector, eventsOfAnswer } from './answer-events.ts';
import { chatQuirksOf, type ChatQuirks } from './chat/quirks.ts';
import { readChatAnswer } from './chat/read-answer.ts';
import { readChatRequest } from './chat/read-request.ts';
import { createChatStreamReader } from './chat/read-stream.ts';
import { writeChatAnswer } from './chat/write-answer.ts';
import { writeChatRequest } from './chat/write-request.ts';
import { createChatStreamWriter } from './chat/write-stream.ts';
import { createAnswerFilter, filterAnswer } from './filters.ts';
import { parseJson } from './json.ts';
import { messagesQuirksOf } from './messages/quirks.ts';
import { readMessagesAnswer } from './messages/read-answer.ts';
import { readMessagesRequest } from './messages/read-request.ts';
import { createMessagesStreamReader } from './messages/read-stream.ts';
import { writeMessagesAnswer } from './messages/write-answer.ts';
import { writeMessagesRequest } from './messages/write-request.ts';
import { createMessagesStreamWriter } from './messages/write-stream.ts';
import type { Answer, AnswerIdentity, AnswerMemory, AnswerWishes, Dialect, SseEvent, StreamReader, StreamWriter, TextEvent, UpstreamFailure, Usage, WrittenRequest } from './neutral.ts';
import { unreadable, UpstreamFailureError } from './upstream-failure.ts';
import { createSseParser } from './wire/sse-parser.ts';

/** An upstream as the configuration describes it. */
export interface Upstream {
  readonly dialect: Dialect;
  readonly vendor: string;
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly maxOutputTokens?: number;
  /** The operator's word on what the vendor's preset gets wrong. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * A client's request in the words of an upstream of the other dialect. `dropped` names the client's fields that were lost.
 * Throws a GatewayError for what cannot be said there.
 */
export function translateRequest(client: Dialect, body: Record<string, unknown>, upstream: Upstream): WrittenRequest {
  const { request, dropped } = client === 'messages' ? readMessagesRequest(body) : readChatRequest(body);
  const { model, maxOutputTokens } = upstream;
  const target = { model, ...(maxOutputTokens !== undefined && { maxOutputTokens }) };
  const written = upstream.dialect === 'chat'
    ? writeChatRequest(request, { ...target, quirks: chatQuirksFor(upstream) })
    : writeMessagesRequest(request, { ...target, quirks: messagesQuirksFor(upstream) });
  return { ...written, dropped: [...new Set([...dropped, ...written.dropped])] };
}

/** A function of an upstream that is worked out once for each description of one: model families are a dozen regular expressions. */
function oncePerUpstream<Value>(work: (upstream: Upstream) => Value): (upstream: Upstream) => Value {
  const known = new WeakMap<Upstream, { readonly value: Value }>();
  return (upstream) => {
    const found = known.get(upstream) ?? { value: work(upstream) };
    known.set(upstream, found);
    return found.value;
  };
}

/** `chatQuirksOf` for whoever keeps the description of an upstream and asks again for each request. */
export const chatQuirksFor = oncePerUpstream(chatQuirksOf);
const messagesQuirksFor = oncePerUpstream(messagesQuirksOf);

export interface Translation {
  readonly client: Dialect;
  readonly upstream: Dialect;
  readonly memory: AnswerMemory;
  readonly identity: AnswerIdentity;
  /** Of a chat upstream; the generic vendor's when left out. */
  readonly chatQuirks?: ChatQuirks;
}

/** What an answer needs to remember of a request that was passed along and not translated. */
export const passThroughMemory = ({ stream, answer, inputEstimate }: { stream: boolean; answer: Partial<AnswerWishes>; inputEstimate: number }): AnswerMemory => ({
  stream, toolNames: {}, emulatedStops: [], stops: [], singleToolCall: false, structuredTool: null, unwrapValue: false,
  answer: { includeUsage: false, legacyFunctions: false, customTools: [], ...answer }, inputEstimate, prefill: '',
});

/** Bytes of the upstream in, text for the client out. Nothing is written after the end or a failure, whatever is called: readers and writers keep to that too. */
export interface StreamTranslator {
  push(chunk: Uint8Array): string;
  /** The upstream closed: the proper end, or an error event. Also for an upstream that has answered and then stays open in silence. */
  end(): string;
  /** An error event, once. */
  fail(failure: UpstreamFailure): string;
  usage(): Usage | null;
  /** The upstream told why it ended; only figures and the end are to come. */
  readonly answered: boolean;
  /** The client's stream is complete, properly or with an error. */
  readonly finished: boolean;
  readonly failed: boolean;
  /** The gateway ended the answer itself: abort the upstream now. */
  readonly cut: boolean;
  readonly outputCharacters: number;
}

export function createStreamTranslator(translation: Translation): StreamTranslator {
  const writer = writerOf(translation);
  const feed = createFeed(translation);
  let characters = 0;
  let answered = false;
  let failed = false;
  let finished = false;
  let usage: Usage | null = null;

  const note = (event: TextEvent): void => {
    if ('text' in event) characters += event.text.length;
    if (event.type === 'usage' || event.type === 'start') usage = event.usage ?? usage;
    answered ||= event.type === 'finish';
    failed ||= event.type === 'failure';
    finished ||= event.type === 'end' || event.type === 'failure';
  };
  const tell = (events: readonly TextEvent[]): string => {
    let out = '';
    for (const event of events) {
      note(event);
      out += writer.write(event);
    }
    return out;
  };
  return {
    push: (chunk) => (finished ? '' : tell(feed.push(chunk))),
    end: () => (finished ? '' : tell(feed.end())),
    fail: (failure) => (finished ? '' : tell(feed.take([{ type: 'failure', failure }]))),
    usage: () => usage,
    get answered() { return answered; },
    get finished() { return finished; },
    get failed() { return failed; },
    get cut() { return feed.cut; },
    get outputCharacters() { return characters; },
  };
}

export interface StreamCollector {
  push(chunk: Uint8Array): void;
  /** The upstream closed: the answer as JSON text. Throws `UpstreamFailureError` when it failed or was cut off. */
  end(): { body: string; usage: Usage };
  /** All was told: read no further, call `end`. */
  readonly finished: boolean;
  /** The gateway ended the answer itself: abort the upstream now, then call `end`. */
  readonly cut: boolean;
}

/** Gathers a stream into one JSON answer, for an upstream that streams though it was not asked to. */
export function createStreamCollector(translation: Translation): StreamCollector {
  const feed = createFeed(translation);
  const collector = createAnswerCollector(translation.memory);
  return {
    push: (chunk) => { feed.push(chunk).forEach(collector.push); },
    end() {
      if (!collector.finished) feed.end().forEach(collector.push);
      return writeAnswer(collector.answer(), translation);
    },
    get finished() { return collector.finished; },
    get cut() { return feed.cut; },
  };
}

export interface AnswerTranslation extends Translation {
  readonly body: Uint8Array;
}

/** A whole JSON answer in the client's dialect. Throws `UpstreamFailureError` when it is none, or a failure in disguise. */
export function translateAnswer(translation: AnswerTranslation): { body: string; usage: Usage } {
  return writeAnswer(readAnswer(translation), translation);
}

/** A whole JSON answer told as a stream, for an upstream that does not stream though it was asked to. Throws like `translateAnswer`. */
export function replayAnswer(translation: AnswerTranslation): string {
  const writer = writerOf(translation);
  return eventsOfAnswer(readAnswer(translation)).map((event) => writer.write(event)).join('');
}

function readAnswer({ upstream, memory, identity, body }: AnswerTranslation): Answer {
  const json = parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  if (json === undefined) throw new UpstreamFailureError(unreadable('The upstream answered with something that is not JSON.'));
  const read = upstream === 'chat' ? readChatAnswer : readMessagesAnswer;
  return filterAnswer(read(json, memory, identity), memory);
}

function writeAnswer(answer: Answer, { client, memory, identity }: Translation): { body: string; usage: Usage } {
  const write = client === 'chat' ? writeChatAnswer : writeMessagesAnswer;
  return { body: JSON.stringify(write(answer, memory, identity)), usage: answer.usage };
}

interface Feed {
  push(chunk: Uint8Array): TextEvent[];
  end(): TextEvent[];
  /** Events that did not come from the upstream. */
  take(events: readonly TextEvent[]): TextEvent[];
  readonly cut: boolean;
}

/** Bytes to events: parser, reader, filter. What cannot be read is a failure of the upstream. */
function createFeed(translation: Translation): Feed {
  const parser = createSseParser();
  const reader = readerOf(translation);
  const filter = createAnswerFilter(translation.memory);
  /** Plain loops: this runs for every chunk of every translated stream. */
  const take = (events: readonly TextEvent[], into: TextEvent[] = []): TextEvent[] => {
    for (const event of events) for (const filtered of filter.push(event)) into.push(filtered);
    return into;
  };
  const read = (events: readonly SseEvent[]): TextEvent[] => {
    const told: TextEvent[] = [];
    for (const event of events) take(reader.push(event), told);
    return told;
  };
  const broken = (error: unknown): TextEvent[] => take([{ type: 'failure', failure: unreadable(`The upstream's stream cannot be read: ${describeError(error)}`) }]);
  return {
    push(chunk) {
      try {
        return read(parser.push(chunk));
      } catch (error) {
        return broken(error);
      }
    },
    end() {
      try {
        return take(reader.end(), read(parser.end().filter(isWhole)));
      } catch (error) {
        return broken(error);
      }
    },
    take: (events) => take(events),
    get cut() { return filter.cut; },
  };
}

/** The last event may have been cut off with the stream: then the stream is what failed, not the event. */
const isWhole = ({ data }: SseEvent): boolean => data.trim() === '[DONE]' || parseJson(data) !== undefined;

function readerOf({ upstream, memory, identity, chatQuirks }: Translation): StreamReader {
  if (upstream === 'messages') return createMessagesStreamReader({ memory, identity });
  return createChatStreamReader({ memory, identity, quirks: chatQuirks ?? chatQuirksOf({ vendor: 'generic', model: identity.model }) });
}

const writerOf = ({ client, memory, identity }: Translation): StreamWriter =>
  (client === 'chat' ? createChatStreamWriter : createMessagesStreamWriter)({ memory, identity });
