import {
  answerHeaders,
  eventStreamHeaders,
  silent,
  truncated,
  type Downstream,
  type Flow,
  type StreamEngine,
} from '../client/index.ts';
import type { CallFailure } from './call-failure.ts';
import type { CallOutcome, RouteCall } from './call-upstream.ts';
import type { StreamSink } from './connections.ts';
import type { Head } from './response-head.ts';
import { createOpening } from './stream-opening.ts';

/**
 * An upstream that has said how its answer ends but does not close gets this long for what may
 * follow.
 */
const lingerMs = 3_000;

export interface Answered {
  readonly head: Head;
  readonly giveUp: (reason: string) => void;
  readonly resolve: (outcome: CallOutcome) => void;
}

/**
 * Holds a stream's beginning back until it is known to be an answer, then forwards it. What ends
 * before is judged as a whole.
 */
export function createHolding(
  { provider, downstream }: RouteCall,
  { head, giveUp, resolve, forward }: Answered & { readonly forward: () => StreamSink },
): StreamSink {
  const opening = createOpening(provider.kind, head);
  let stream: StreamSink | undefined;
  return {
    chunk(chunk) {
      if (stream !== undefined) {
        stream.chunk(chunk);
        return;
      }
      const verdict = opening.push(chunk);
      if (verdict === 'unclear') return;
      if (verdict === 'answer') {
        stream = forward();
        stream.chunk(opening.held());
        downstream.flush();
        return;
      }
      resolve({ kind: 'told', failure: verdict });
      giveUp('the upstream answered with an error');
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

export function forwardTo(
  call: RouteCall,
  {
    head,
    flow,
    engine,
    giveUp,
    resolve,
  }: Answered & { readonly flow: Flow; readonly engine: StreamEngine },
): StreamSink & { tick(): void } {
  call.downstream.connect(engine, flow);
  if (!call.downstream.opened) call.downstream.open(head.status, headersOf(call, head));
  return createForwarding({ engine, downstream: call.downstream, giveUp, resolve });
}

interface Forwarding {
  readonly engine: StreamEngine;
  readonly downstream: Downstream;
  readonly giveUp: (reason: string) => void;
  readonly resolve: (outcome: CallOutcome) => void;
}

/** From one upstream's bytes to the client's, in the turn they arrive. */
function createForwarding({
  engine,
  downstream,
  giveUp,
  resolve,
}: Forwarding): StreamSink & { tick(): void } {
  let quietSinceMs: number | undefined;
  let endedSinceMs: number | undefined;
  const finish = (failure?: CallFailure): void => {
    downstream.close();
    resolve({ kind: 'streamed', engine, failure });
  };
  return {
    chunk(chunk) {
      quietSinceMs = undefined;
      downstream.write(engine.push(chunk));
      if (!engine.complete) return;
      downstream.close();
      if (engine.cut || engine.failed) giveUp('the answer is complete');
    },
    end() {
      downstream.write(engine.end());
      finish();
    },
    broken(failure) {
      if (engine.finishing) downstream.write(engine.end());
      else if (failure.kind !== 'aborted') {
        downstream.write(engine.fail(failure.kind === 'timeout' ? silent : truncated));
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

function headersOf({ rendered }: RouteCall, head: Head): string[] {
  if (rendered.memory !== null) return [...eventStreamHeaders];
  const headers = ['x-accel-buffering', 'no'];
  answerHeaders(head.headers, headers);
  if (head.headers['content-type'] === undefined) headers.push(...eventStreamHeaders.slice(0, 2));
  return headers;
}
