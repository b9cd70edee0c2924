import { createPassThroughScanner, createStreamTranslator, writeFailureEvent, type Dialect, type Translation, type UpstreamFailure, type Usage } from '@gateway/text-dialects';

/** Turns an upstream's bytes into the client's, chunk by chunk, and knows where in the stream they are. */
export interface StreamEngine {
  push(chunk: Buffer): Buffer | string | null;
  /** The upstream closed: the rest, and the error event when it closed too early. */
  end(): Buffer | string | null;
  /** The error event, unless the client's stream is complete already. */
  fail(failure: UpstreamFailure): string;
  usage(): Usage | null;
  /** The upstream has said how its answer ends, or the client has been told so. */
  readonly finished: boolean;
  /** The upstream has said how its answer ends; something may still follow. */
  readonly finishing: boolean;
  /** The upstream has sent what must be its last event. */
  readonly ended: boolean;
  /** The client has every byte of its answer. */
  readonly complete: boolean;
  /** Nothing more is wanted from the upstream. */
  readonly cut: boolean;
  /** An error was told to the client. */
  readonly failed: boolean;
  /** Bytes so far end between two events. */
  readonly atBoundary: boolean;
  readonly outputCharacters: number;
}

export const truncated: UpstreamFailure = { status: 502, code: 'truncated', message: 'the upstream ended the answer before it was complete' };

export const silent: UpstreamFailure = { status: 504, code: 'timeout', message: 'the upstream fell silent before its answer was complete' };

/** Same dialect: bytes go through as they are. */
export function createPassThroughEngine(dialect: Dialect, options: { rewriteModel: string | null; stripUsageChunk: boolean; requestId: string }): StreamEngine {
  const scanner = createPassThroughScanner({ dialect, rewriteModel: options.rewriteModel, stripUsageChunk: options.stripUsageChunk });
  let failed = false;
  const fail = (failure: UpstreamFailure): string => {
    if (failed || scanner.failed || scanner.finished) return '';
    failed = true;
    return `${scanner.atBoundary ? '' : '\n\n'}${writeFailureEvent({ dialect, failure, requestId: options.requestId })}`;
  };
  return {
    push: (chunk) => scanner.push(chunk),
    end() {
      const rest = scanner.end();
      const error = fail(truncated);
      if (error === '') return rest;
      return rest === null ? error : Buffer.concat([rest, Buffer.from(error)]);
    },
    fail,
    usage: () => scanner.usage(),
    get finished() { return scanner.finished; },
    get finishing() { return scanner.finished; },
    get ended() { return scanner.ended; },
    complete: false,
    cut: false,
    get failed() { return failed || scanner.failed; },
    get atBoundary() { return scanner.atBoundary; },
    get outputCharacters() { return scanner.outputCharacters; },
  };
}

/** Other dialect: every event is read and told anew. */
export function createTranslatingEngine(translation: Translation): StreamEngine {
  const translator = createStreamTranslator(translation);
  return {
    push: (chunk) => translator.push(chunk),
    end: () => translator.end(),
    fail: (failure) => translator.fail(failure),
    usage: () => translator.usage(),
    get finished() { return translator.finished; },
    get finishing() { return translator.answered; },
    get ended() { return translator.finished; },
    get complete() { return translator.finished; },
    get cut() { return translator.cut; },
    get failed() { return translator.failed; },
    atBoundary: true,
    get outputCharacters() { return translator.outputCharacters; },
  };
}
