import { clientSides } from './client-sides.ts';
import { createCompletionCollector, eventsOfCompletion } from './completion-events.ts';
import { chatQuirksOf } from './chat/choose-quirks.ts';
import type { ChatQuirks } from './chat/quirks.ts';
import { readChatCompletion } from './chat/read-completion.ts';
import { createChatStreamReader } from './chat/read-stream.ts';
import { estimateTokens, type Weigh } from './estimate.ts';
import { filterCompletion } from './filters.ts';
import { lookUp, parseJson } from './json.ts';
import { readMessagesCompletion } from './messages/read-completion.ts';
import { createMessagesStreamReader } from './messages/read-stream.ts';
import type {
  Completion,
  CompletionMemory,
  CompletionOptions,
  Dialect,
  StreamReader,
  StreamWriter,
  TextEvent,
  UpstreamFailure,
  Usage,
} from './neutral.ts';
import type { TranslatedRequest } from './request-translation.ts';
import { readResponsesCompletion } from './responses/read-completion.ts';
import { createResponsesStreamReader } from './responses/read-stream.ts';
import type { ResponseTranslation } from './responses/response.ts';
import { StreamFeed } from './stream-feed.ts';
import { unreadable, UpstreamFailureError } from './upstream-failure.ts';
import { requestWriters, type Upstream } from './upstream-sides.ts';
import { unique } from './values.ts';

/**
 * A client's request in the words of an upstream of another dialect. `dropped` names the client's
 * fields that were lost. Throws a GatewayError for what cannot be said there.
 */
export const translateRequest = (
  client: Dialect,
  body: Record<string, unknown>,
  upstream: Upstream,
): TranslatedRequest => translateShortened(client, { body }, upstream);

/** The same of a request whose long texts were shortened; `weigh` says how long they were. */
export function translateShortened(
  client: Dialect,
  { body, weigh }: { readonly body: Record<string, unknown>; readonly weigh?: Weigh },
  upstream: Upstream,
): TranslatedRequest {
  const { read, names = {} } = clientSides[client];
  const { request, dropped } = read(body);
  const { model, maxOutputTokens } = upstream;
  const written = requestWriters[upstream.dialect](request, { model, maxOutputTokens }, upstream);
  const lost = written.dropped.map((field) => lookUp(names, field) ?? field);
  return {
    body: written.body,
    memory: { ...written.memory, inputEstimate: estimateTokens(request, weigh) },
    dropped: unique([...dropped, ...lost]),
  };
}

export interface Translation extends ResponseTranslation {
  readonly client: Dialect;
  readonly upstream: Dialect;
  /** Of a chat upstream; the generic vendor's when left out. */
  readonly chatQuirks?: ChatQuirks;
}

/** What a completion needs to remember of a request that was passed along and not translated. */
export const passThroughMemory = ({
  stream,
  completion,
  inputEstimate,
}: {
  stream: boolean;
  completion: Partial<CompletionOptions>;
  inputEstimate: number;
}): CompletionMemory => ({
  stream,
  toolNames: {},
  emulatedStops: [],
  stops: [],
  singleToolCall: false,
  structuredTool: null,
  unwrapValue: false,
  completion: { includeUsage: false, legacyFunctions: false, customTools: [], ...completion },
  inputEstimate,
  prefill: '',
});

/**
 * Bytes of the upstream in, text for the client out. Nothing is written after the end or a failure,
 * whatever is called: readers and writers keep to that too.
 */
export interface StreamTranslator {
  push(chunk: Uint8Array): string;
  /**
   * The upstream closed: the proper end, or an error event. Also for an upstream that has responded
   * and then stays open in silence.
   */
  end(): string;
  /** An error event, once. */
  fail(failure: UpstreamFailure): string;
  usage(): Usage | null;
  /** The upstream told why it ended; only figures and the end are to come. */
  readonly completed: boolean;
  /** The client's stream is complete, properly or with an error. */
  readonly finished: boolean;
  readonly failed: boolean;
  /** The gateway ended the completion itself: abort the upstream now. */
  readonly cut: boolean;
  /** UTF-8 bytes of text and JSON the model has put out, for `estimateByteTokens`. */
  readonly outputBytes: number;
}

export const createStreamTranslator = (translation: Translation): StreamTranslator =>
  new Translator(translation);

/** A class, for its getter: an object literal with one would be a dictionary to V8. */
class Translator implements StreamTranslator {
  readonly #writer: StreamWriter;
  readonly #feed: StreamFeed;
  #usage: Usage | null = null;
  completed = false;
  finished = false;
  failed = false;
  outputBytes = 0;

  constructor(translation: Translation) {
    this.#writer = writerOf(translation);
    this.#feed = new StreamFeed(readerOf(translation), translation.memory);
  }

  push(chunk: Uint8Array): string {
    return this.finished ? '' : this.#tell(this.#feed.push(chunk));
  }

  end(): string {
    return this.finished ? '' : this.#tell(this.#feed.end());
  }

  fail(failure: UpstreamFailure): string {
    return this.finished ? '' : this.#tell(this.#feed.take([{ type: 'failure', failure }]));
  }

  usage(): Usage | null {
    return this.#usage;
  }

  get cut(): boolean {
    return this.#feed.isCut();
  }

  #tell(events: readonly TextEvent[]): string {
    let out = '';
    for (const event of events) {
      this.#note(event);
      out += this.#writer.write(event);
    }
    return out;
  }

  #note(event: TextEvent): void {
    if ('text' in event) this.outputBytes += Buffer.byteLength(event.text);
    if (event.type === 'usage' || event.type === 'start') this.#usage = event.usage ?? this.#usage;
    this.completed ||= event.type === 'finish';
    this.failed ||= event.type === 'failure';
    this.finished ||= event.type === 'end' || event.type === 'failure';
  }
}

export interface CompletionTranslation extends Translation {
  readonly body: Uint8Array;
}

/**
 * A whole JSON completion in the client's dialect. Throws `UpstreamFailureError` when it is none, or a
 * failure in disguise.
 */
export function translateCompletion(translation: CompletionTranslation): {
  body: string;
  usage: Usage;
} {
  return writeCompletion(readCompletion(translation), translation);
}

/**
 * A whole stream as the JSON completion it stands for, for an upstream that streams though it was not
 * asked to. Throws like `translateCompletion`, also when the stream was cut off.
 */
export function gatherCompletion(translation: CompletionTranslation): {
  body: string;
  usage: Usage;
} {
  const feed = new StreamFeed(readerOf(translation), translation.memory);
  const collector = createCompletionCollector(translation.memory);
  feed.push(translation.body).forEach(collector.push);
  if (!collector.isOver()) feed.end().forEach(collector.push);
  return writeCompletion(collector.completion(), translation);
}

/**
 * A whole JSON completion told as a stream, for an upstream that does not stream though it was asked
 * to. Throws like `translateCompletion`.
 */
export function replayCompletion(translation: CompletionTranslation): string {
  const writer = writerOf(translation);
  return eventsOfCompletion(readCompletion(translation))
    .map((event) => writer.write(event))
    .join('');
}

function readCompletion({ upstream, memory, identity, body }: CompletionTranslation): Completion {
  const json = parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  if (json === undefined) {
    throw new UpstreamFailureError(unreadable('The upstream returned something that is not JSON.'));
  }
  return filterCompletion(completionReaders[upstream](json, memory, identity), memory);
}

const completionReaders = {
  messages: readMessagesCompletion,
  chat: readChatCompletion,
  responses: readResponsesCompletion,
} as const satisfies Readonly<Record<Dialect, unknown>>;

function writeCompletion(
  completion: Completion,
  translation: Translation,
): { body: string; usage: Usage } {
  const written = clientSides[translation.client].writeCompletion(completion, translation);
  return { body: JSON.stringify(written), usage: completion.usage };
}

function readerOf({ upstream, memory, identity, chatQuirks }: Translation): StreamReader {
  if (upstream === 'messages') return createMessagesStreamReader({ memory, identity });
  if (upstream === 'responses') return createResponsesStreamReader({ memory, identity });
  return createChatStreamReader({
    memory,
    identity,
    quirks: chatQuirks ?? chatQuirksOf({ vendor: 'generic', model: identity.model }),
  });
}

const writerOf = (translation: Translation): StreamWriter =>
  clientSides[translation.client].createWriter(translation);
