import {
  eventStreamHeaders,
  forwardHeaders,
  silent,
  truncated,
  type ClientStream,
  type Flow,
  type StreamEngine,
} from '../client/index.ts';
import type { CallFailure } from './call-failure.ts';
import type { StreamSink } from './connections.ts';
import type { ResponseHead } from './response-head.ts';
import type { StreamOpening } from './stream-opening.ts';
import type { CallOutcome, UpstreamCall } from './upstream-call.ts';

/** How long an upstream that has finished its completion may take to close the stream. */
const lingerMs = 3_000;

/** A call whose response has begun. */
export interface BegunResponse {
  readonly head: ResponseHead;
  readonly giveUp: (reason: string) => void;
  readonly resolve: (outcome: CallOutcome) => void;
}

/**
 * Holds the beginning of a stream back until it proves to be a completion, then forwards it. What
 * ends before that is judged as a whole.
 */
export function createHolding(
  { clientStream }: UpstreamCall,
  {
    head,
    opening,
    giveUp,
    resolve,
    forward,
  }: BegunResponse & { readonly opening: StreamOpening; readonly forward: () => StreamSink },
): StreamSink {
  let stream: StreamSink | undefined;
  return {
    chunk(chunk) {
      if (stream !== undefined) {
        stream.chunk(chunk);
        return;
      }
      const verdict = opening.push(chunk, head);
      if (verdict === 'unclear') return;
      if (verdict === 'completion') {
        stream = forward();
        stream.chunk(opening.held());
        clientStream.flush();
        return;
      }
      resolve({ kind: 'error_event', failure: verdict });
      giveUp('the first event was an error');
    },
    end() {
      if (stream === undefined) resolve({ kind: 'whole', head, body: opening.held() });
      else stream.end();
    },
    broken(failure) {
      if (stream === undefined) resolve({ kind: 'failed', failure });
      else stream.broken(failure);
    },
  };
}

/** Opens the client's stream, unless a ping already has, and connects the upstream to it. */
export function forwardTo(
  call: UpstreamCall,
  {
    head,
    flow,
    engine,
    giveUp,
    resolve,
  }: BegunResponse & { readonly flow: Flow; readonly engine: StreamEngine },
): StreamSink & { tick(): void } {
  call.clientStream.connect(engine, flow);
  if (!call.clientStream.opened) call.clientStream.open(head.status, headersOf(call, head));
  return createForwarding({ engine, clientStream: call.clientStream, giveUp, resolve });
}

interface Forwarding {
  readonly engine: StreamEngine;
  readonly clientStream: ClientStream;
  readonly giveUp: (reason: string) => void;
  readonly resolve: (outcome: CallOutcome) => void;
}

/** From one upstream's bytes to the client's, in the turn they arrive. */
function createForwarding({
  engine,
  clientStream,
  giveUp,
  resolve,
}: Forwarding): StreamSink & { tick(): void } {
  let quietSinceMs: number | undefined;
  let endedSinceMs: number | undefined;
  const finish = (failure?: CallFailure): void => {
    clientStream.close();
    resolve({ kind: 'streamed', engine, failure });
  };
  return {
    chunk(chunk) {
      quietSinceMs = undefined;
      clientStream.write(engine.push(chunk));
      if (!engine.complete) return;
      clientStream.close();
      if (engine.cut || engine.failed) giveUp('the completion is complete');
    },
    end() {
      clientStream.write(engine.end());
      finish();
    },
    broken(failure) {
      if (engine.finishing) clientStream.write(engine.end());
      else if (failure.kind !== 'aborted') {
        clientStream.write(engine.fail(failure.kind === 'timeout' ? silent : truncated));
      }
      finish(failure.kind === 'aborted' || engine.finished ? undefined : failure);
    },
    tick() {
      quietSinceMs ??= performance.now();
      if (engine.ended) endedSinceMs ??= performance.now();
      const isOver = performance.now() - quietSinceMs > lingerMs && engine.finishing;
      if (isOver || (endedSinceMs !== undefined && performance.now() - endedSinceMs > lingerMs)) {
        giveUp('the upstream has finished but does not close');
      }
    },
  };
}

function headersOf({ rendered }: UpstreamCall, head: ResponseHead): string[] {
  if (rendered.memory !== null) return [...eventStreamHeaders];
  const headers = ['x-accel-buffering', 'no'];
  forwardHeaders(head.headers, headers);
  if (head.headers['content-type'] === undefined) headers.push(...eventStreamHeaders.slice(0, 2));
  return headers;
}
