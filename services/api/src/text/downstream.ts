import type { ServerResponse } from 'node:http';
import { pingEvent, writeFailureEvent, type Dialect, type UpstreamFailure } from '@gateway/text-dialects';
import { eventStreamHeaders } from './headers.ts';
import type { StreamEngine } from './stream-engine.ts';
import type { Flow } from './upstreams.ts';

export interface DownstreamOptions {
  readonly response: ServerResponse;
  readonly dialect: Dialect;
  readonly requestId: string;
  /** Headers that every answer of this request carries; read when the head is written. */
  readonly headers: string[];
  readonly now: () => number;
}

/** The client's side of one streamed answer: its head, its bytes, its pings, its last event. */
export interface Downstream {
  /** Whether a byte has gone to the client: from then on nothing can be tried again. */
  readonly opened: boolean;
  open(status: number, headers: readonly string[]): void;
  /** Bytes go through this engine, from this upstream, from now on. */
  connect(engine: StreamEngine, flow: Flow): void;
  write(bytes: Buffer | string | null): void;
  /** The last event: a failure in the client's dialect. */
  fail(failure: UpstreamFailure): void;
  close(): void;
  /** Silence is filled with a ping, before the upstream's first byte too. */
  keepAlive(afterMs: number): void;
  /** For how long the client has not taken what waits for it; 0 when nothing waits. */
  stuckMs(): number;
}

export function createDownstream({ response, dialect, requestId, headers, now }: DownstreamOptions): Downstream {
  let opened = false;
  let engine: StreamEngine | undefined;
  let flow: Flow | undefined;
  let blockedSince: number | undefined;
  let lastWriteAt = now();

  const onDrain = (): void => {
    blockedSince = undefined;
    flow?.resume();
  };
  const open = (status: number, own: readonly string[]): void => {
    opened = true;
    lastWriteAt = now();
    response.writeHead(status, [...own, ...headers]);
    response.flushHeaders();
  };
  const write = (bytes: Buffer | string | null): void => {
    if (bytes === null || bytes.length === 0 || response.destroyed) return;
    lastWriteAt = now();
    if (response.write(bytes) || blockedSince !== undefined) return;
    blockedSince = lastWriteAt;
    flow?.pause();
    response.once('drain', onDrain);
  };
  return {
    get opened() { return opened; },
    open,
    connect(newEngine, newFlow) {
      engine = newEngine;
      flow = newFlow;
    },
    write,
    fail(failure) {
      if (!opened) open(200, eventStreamHeaders);
      write(engine === undefined ? writeFailureEvent({ dialect, failure, requestId }) : engine.fail(failure));
    },
    close() {
      if (!response.writableEnded) response.end();
    },
    keepAlive(afterMs) {
      if (now() - lastWriteAt < afterMs || blockedSince !== undefined || (engine !== undefined && (!engine.atBoundary || engine.finished))) return;
      if (!opened) open(200, eventStreamHeaders);
      write(pingEvent(dialect));
    },
    stuckMs: () => (blockedSince === undefined ? 0 : now() - blockedSince),
  };
}
