import {
  createPassThroughScanner,
  createStreamTranslator,
  type Dialect,
  type PassThroughOptions,
  type PassThroughScanner,
  type StreamTranslator,
  type Translation,
  type UpstreamFailure,
  type Usage,
} from '@gateway/text-dialects';

/**
 * Turns an upstream's bytes into the client's, chunk by chunk, and knows where in the stream they
 * are.
 */
export interface StreamEngine {
  push(chunk: Buffer): Buffer | string | null;
  /** The upstream closed: the rest, and the error event when it closed too early. */
  end(): Buffer | string | null;
  /** The error event, unless the client's stream is complete already. */
  fail(failure: UpstreamFailure): string;
  usage(): Usage | null;
  /** The upstream has sent the reason it stopped, or the client has been sent one. */
  readonly finished: boolean;
  /** The upstream has sent the reason it stopped; something may still follow. */
  readonly finishing: boolean;
  /** The upstream has sent what must be its last event. */
  readonly ended: boolean;
  /** The client has every byte of its response. */
  readonly complete: boolean;
  /** Nothing more is wanted from the upstream. */
  readonly cut: boolean;
  /** The client was sent an error. */
  readonly failed: boolean;
  /** Bytes so far end between two events. */
  readonly atBoundary: boolean;
  readonly outputBytes: number;
}

export const truncated: UpstreamFailure = {
  status: 502,
  code: 'truncated',
  message: 'the upstream ended the response before it was complete',
};

export const silent: UpstreamFailure = {
  status: 504,
  code: 'timeout',
  message: 'the upstream fell silent before its response was complete',
};

/** Same dialect: bytes go through as they are. */
export const createPassThroughEngine = (
  dialect: Dialect,
  options: PassThroughEngineOptions,
): StreamEngine => new PassThroughEngine(dialect, options);

/** Other dialect: every event is read and written anew. */
export const createTranslatingEngine = (translation: Translation): StreamEngine =>
  new TranslatingEngine(createStreamTranslator(translation));

export interface PassThroughEngineOptions extends Omit<PassThroughOptions, 'dialect'> {
  readonly requestId: string;
}

/**
 * What is asked in each of a stream's chunks is a class: an object literal with getters is a
 * dictionary to V8, and takes sixty times as long to make and ask.
 */
class PassThroughEngine implements StreamEngine {
  readonly complete = false;
  readonly cut = false;
  readonly #requestId: string;
  readonly #scanner: PassThroughScanner;
  #failed = false;

  constructor(dialect: Dialect, { requestId, ...options }: PassThroughEngineOptions) {
    this.#requestId = requestId;
    this.#scanner = createPassThroughScanner({ dialect, ...options });
  }

  push(chunk: Buffer): Buffer | null {
    return this.#scanner.push(chunk);
  }

  end(): Buffer | string | null {
    const rest = this.#scanner.end();
    const error = this.fail(truncated);
    if (error === '') return rest;
    return rest === null ? error : Buffer.concat([rest, Buffer.from(error)]);
  }

  fail(failure: UpstreamFailure): string {
    if (this.failed || this.finished) return '';
    this.#failed = true;
    return `${this.atBoundary ? '' : '\n\n'}${this.#scanner.failure(failure, this.#requestId)}`;
  }

  usage(): Usage | null {
    return this.#scanner.usage();
  }

  get finished(): boolean {
    return this.#scanner.finished;
  }
  get finishing(): boolean {
    return this.#scanner.finished;
  }
  get ended(): boolean {
    return this.#scanner.ended;
  }
  get failed(): boolean {
    return this.#failed || this.#scanner.failed;
  }
  get atBoundary(): boolean {
    return this.#scanner.atBoundary;
  }
  get outputBytes(): number {
    return this.#scanner.outputBytes;
  }
}

class TranslatingEngine implements StreamEngine {
  readonly atBoundary = true;
  readonly #translator: StreamTranslator;

  constructor(translator: StreamTranslator) {
    this.#translator = translator;
  }

  push(chunk: Buffer): string {
    return this.#translator.push(chunk);
  }

  end(): string {
    return this.#translator.end();
  }

  fail(failure: UpstreamFailure): string {
    return this.#translator.fail(failure);
  }

  usage(): Usage | null {
    return this.#translator.usage();
  }

  get finished(): boolean {
    return this.#translator.finished;
  }
  get finishing(): boolean {
    return this.#translator.completed;
  }
  get ended(): boolean {
    return this.#translator.finished;
  }
  get complete(): boolean {
    return this.#translator.finished;
  }
  get cut(): boolean {
    return this.#translator.cut;
  }
  get failed(): boolean {
    return this.#translator.failed;
  }
  get outputBytes(): number {
    return this.#translator.outputBytes;
  }
}
