import { describeError } from '@gateway/domain';
import { Pool, errors, util, type Dispatcher } from 'undici';
import type { Flow } from '../client/index.ts';
import type { Deadlines, Timed } from '../hot-path/index.ts';
import type { CallFailure } from './call-failure.ts';
import { decodeBody } from './decode-body.ts';
import { outgoing, type OutgoingBody } from './outgoing.ts';
import { isEncoded, type ResponseHead } from './response-head.ts';

export interface UpstreamRequest extends OutgoingBody {
  readonly origin: string;
  readonly path: string;
  readonly connectTimeoutMs: number;
  /** Until the head of the response. */
  readonly headTimeoutMs: number;
  /** Between two pieces of the response. */
  readonly idleTimeoutMs: number;
}

/** Takes a response as it arrives. */
export interface ResponseSink {
  /** The head has arrived; undefined: gather the body and give it to `whole`. */
  streamed(head: ResponseHead, flow: Flow): StreamSink | undefined;
  whole(head: ResponseHead, body: Buffer): void;
  failed(failure: CallFailure): void;
  /** Our own code threw while it took the response. */
  threw(error: unknown): void;
}

export interface StreamSink {
  /** One chunk, in the event-loop turn in which it arrived. */
  chunk(chunk: Buffer): void;
  end(): void;
  broken(failure: CallFailure): void;
}

export interface UpstreamConnections {
  /** Sends one request; one of the sink's endings follows. Returns a way to abandon the call. */
  call(request: UpstreamRequest, sink: ResponseSink): (reason: string) => void;
  close(): Promise<void>;
}

/** A larger whole response is a fault of the upstream. */
const maxWholeBytes = 67_108_864;

/**
 * Kept-alive connections to every upstream, as many as there are requests at once: limits stand
 * before them.
 */
export function createUpstreamConnections(deadlines: Deadlines): UpstreamConnections {
  const pools = new Map<string, Pool>();
  const poolOf = ({ origin, connectTimeoutMs }: UpstreamRequest): Pool => {
    const name = `${origin} ${connectTimeoutMs}`;
    const known = pools.get(name);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      pipelining: 1,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 300_000,
      connect: { timeout: connectTimeoutMs },
      autoSelectFamily: true,
    });
    pools.set(name, pool);
    return pool;
  };
  return {
    call(request, sink) {
      const handler = new CallHandler(request, sink, deadlines);
      // Its own timers would be made anew three times a request.
      poolOf(request).dispatch(
        {
          method: 'POST',
          path: request.path,
          ...outgoing(request),
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
      return (reason) => {
        handler.giveUp(reason);
      };
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

class GivenUp extends Error {}

/**
 * Passes undici's callbacks on to a sink. No promise stands between a chunk's arrival and its way
 * on. These are the handlers that its core calls; it wraps the newer ones, which costs a short
 * completion 4 µs.
 */
class CallHandler implements Dispatcher.DispatchHandler, Flow, Timed {
  place = -1;
  dueMs = 0;
  readonly #request: Pick<UpstreamRequest, 'headTimeoutMs' | 'idleTimeoutMs'>;
  readonly #sink: ResponseSink;
  readonly #deadlines: Deadlines;
  #abort: ((reason: Error) => void) | undefined;
  #continue: (() => void) | undefined;
  #isPaused = false;
  #givenUp: GivenUp | undefined;
  #sent = false;
  #head: ResponseHead | undefined;
  #stream: StreamSink | undefined;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #failed = false;

  constructor(request: UpstreamRequest, sink: ResponseSink, deadlines: Deadlines) {
    this.#request = request;
    this.#sink = sink;
    this.#deadlines = deadlines;
  }

  /** A client that takes nothing is no silence of the upstream. */
  expire(): void {
    if (!this.#isPaused) {
      this.#abort?.(
        this.#head === undefined ? new errors.HeadersTimeoutError() : new errors.BodyTimeoutError(),
      );
      return;
    }
    this.#heard();
    this.#deadlines.watch(this);
  }

  /** Ends the call with an exception of ours, which is no failure of the upstream. */
  #threw(error: unknown): false {
    this.#deadlines.release(this);
    if (!this.#failed) {
      this.#failed = true;
      this.#sink.threw(error);
    }
    this.giveUp('an exception in the gateway');
    return false;
  }

  /** The upstream has until then for its next piece. */
  #heard(): void {
    this.dueMs = performance.now() + this.#request.idleTimeoutMs;
  }

  giveUp(reason: string): void {
    if (this.#givenUp !== undefined) return;
    this.#givenUp = new GivenUp(reason);
    if (this.#abort !== undefined) this.#abort(this.#givenUp);
    // Not connected yet, which may take its time: nobody has to wait for that.
    else this.#fail({ kind: 'aborted', reason, sent: false });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#heard();
    this.#continue?.();
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#givenUp !== undefined) {
      abort(this.#givenUp);
      return;
    }
    // From here on undici writes.
    this.#sent = true;
    this.dueMs = performance.now() + this.#request.headTimeoutMs;
    this.#deadlines.watch(this);
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.#continue = resume;
    this.#heard();
    try {
      this.#head = { status, headers: util.parseHeaders(rawHeaders) };
      this.#stream = this.#sink.streamed(this.#head, this);
    } catch (error) {
      return this.#threw(error);
    }
    return !this.#isPaused;
  }

  onData(chunk: Buffer): boolean {
    this.#heard();
    if (this.#stream !== undefined) {
      try {
        this.#stream.chunk(chunk);
      } catch (error) {
        return this.#threw(error);
      }
      return !this.#isPaused;
    }
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > maxWholeBytes) {
      this.#abort?.(new Error(`the response is larger than ${maxWholeBytes} bytes`));
    } else this.#chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    this.#deadlines.release(this);
    try {
      if (this.#stream !== undefined) this.#stream.end();
      else if (this.#head !== undefined) this.#whole(this.#head);
    } catch (error) {
      this.#threw(error);
    }
    this.#chunks = [];
  }

  #whole(head: ResponseHead): void {
    const bytes =
      this.#chunks.length === 1 && this.#chunks[0] !== undefined
        ? this.#chunks[0]
        : Buffer.concat(this.#chunks);
    const body = isEncoded(head) ? decodeBody(head, bytes, maxWholeBytes) : bytes;
    if (body === undefined) {
      this.#fail({
        kind: 'broken',
        reason: `the response's content-encoding ${String(head.headers['content-encoding'])} cannot be undone`,
      });
    } else this.#sink.whole(head, body);
  }

  #fail(failure: CallFailure): void {
    if (this.#failed) return;
    this.#failed = true;
    try {
      if (this.#stream !== undefined) this.#stream.broken(failure);
      else this.#sink.failed(failure);
    } catch (error) {
      this.#sink.threw(error);
    }
  }

  onError(error: Error): void {
    this.#deadlines.release(this);
    const failure =
      this.#givenUp === undefined
        ? failureOf(error, this.#head !== undefined)
        : { kind: 'aborted' as const, reason: this.#givenUp.message, sent: this.#sent };
    this.#fail(failure);
    this.#chunks = [];
  }
}

/** Codes of failures before anything was sent: the name, the route, the port, the certificate. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;
const timedOut = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

function failureOf(error: Error & { code?: string }, responded: boolean): CallFailure {
  const code = codeOf(error);
  const reason = describeError(error);
  if (!responded && neverSent.test(code)) return { kind: 'unreachable', reason, systemCode: code };
  return timedOut.has(code)
    ? { kind: 'timeout', reason, systemCode: code }
    : { kind: 'broken', reason, systemCode: code };
}

/** Several refused addresses of one host come as one error without a code of its own. */
function codeOf(error: Error & { code?: string; errors?: readonly { code?: string }[] }): string {
  return error.code ?? error.errors?.[0]?.code ?? 'unknown';
}
