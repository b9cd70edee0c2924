import type { ServerResponse } from 'node:http';
import { guarded } from '@gateway/runtime';
import {
  pingEvent,
  writeFailureEvent,
  type UpstreamFailure,
  type Usage,
} from '@gateway/text-dialects';
import { sendNow } from '../hot-path/index.ts';
import type { TextRequest } from '../request/index.ts';
import { eventStreamHeaders } from './response-headers.ts';
import type { StreamEngine } from './stream-engine.ts';

/** Whoever sends the bytes of a stream, held back while the client takes none. */
export interface Flow {
  pause(): void;
  resume(): void;
}

const nothingYet = { usage: null, outputBytes: 0 };

/** The client's side of one stream: its head, its bytes, its pings, its last event. */
export class ClientStream {
  readonly #request: TextRequest;
  readonly #response: ServerResponse;
  #opened = false;
  #engine: StreamEngine | undefined;
  #flow: Flow | undefined;
  #failed = false;
  #blockedSinceMs: number | undefined;
  #lastWriteMs: number;
  /** Since the last tick: reading the clock for every chunk would cost as much as the write. */
  #wroteLately = false;

  constructor(request: TextRequest) {
    this.#request = request;
    this.#response = request.response;
    this.#lastWriteMs = request.startedMs;
  }

  /** Whether the head has gone to the client: from then on no other route can be tried. */
  get opened(): boolean {
    return this.#opened;
  }

  open(status: number, headers: readonly string[]): void {
    this.#opened = true;
    this.#lastWriteMs = performance.now();
    this.#response.writeHead(status, [...headers, ...this.#request.headers]);
  }

  /**
   * Sends what is written at once, if only the head. The head alone never goes before a byte is
   * written: Node would write it as UTF-8.
   */
  flush(): void {
    if (this.#response.destroyed) return;
    if (this.#wroteLately) sendNow(this.#response);
    else this.#response.flushHeaders();
  }

  /** Bytes go through this engine, from this upstream, from now on. */
  connect(engine: StreamEngine, flow: Flow): void {
    this.#engine = engine;
    this.#flow = flow;
  }

  /** Writes without delay; the upstream waits while the client takes nothing. */
  write(bytes: Buffer | string | null): void {
    if (bytes === null || bytes.length === 0 || this.#response.destroyed) return;
    this.#wroteLately = true;
    if (this.#response.write(bytes) || this.#blockedSinceMs !== undefined) return;
    this.#blockedSinceMs = performance.now();
    this.#flow?.pause();
    this.#response.once(
      'drain',
      guarded(
        (error) => {
          this.#request.onException(this.#request, error);
        },
        () => {
          this.#blockedSinceMs = undefined;
          this.#flow?.resume();
        },
      ),
    );
  }

  /** The last event: a failure in the client's dialect. */
  fail(failure: UpstreamFailure): void {
    if (this.#failed) return;
    this.#failed = true;
    if (!this.#opened) this.open(200, eventStreamHeaders);
    const {
      path: { dialect },
      requestId,
    } = this.#request;
    this.write(
      this.#engine === undefined
        ? writeFailureEvent({ dialect, failure, requestId })
        : this.#engine.fail(failure),
    );
  }

  close(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** Called about once a second: fills silence with a ping, before the upstream's first byte too. */
  keepAlive(afterMs: number): void {
    if (this.#wroteLately) {
      this.#wroteLately = false;
      this.#lastWriteMs = performance.now();
    }
    if (performance.now() - this.#lastWriteMs < afterMs || this.#blockedSinceMs !== undefined) {
      return;
    }
    if (this.#engine !== undefined && (!this.#engine.atBoundary || this.#engine.finished)) return;
    if (!this.#opened) this.open(200, eventStreamHeaders);
    this.write(pingEvent(this.#request.path.dialect));
  }

  /** What the connected upstream has reported and produced so far. */
  usageSoFar(): { readonly usage: Usage | null; readonly outputBytes: number } {
    return this.#engine === undefined
      ? nothingYet
      : { usage: this.#engine.usage(), outputBytes: this.#engine.outputBytes };
  }

  /** Milliseconds for which the client has not taken what waits for it; 0 when nothing waits. */
  blockedMs(): number {
    return this.#blockedSinceMs === undefined ? 0 : performance.now() - this.#blockedSinceMs;
  }
}
