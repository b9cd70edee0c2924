import { guarded } from '@gateway/runtime';
import { chatQuirksFor } from '@gateway/text-dialects';
import {
  createPassThroughEngine,
  createTranslatingEngine,
  type StreamEngine,
} from '../client/index.ts';
import { identityOf, type TextRequest } from '../request/index.ts';
import type { UpstreamConnections } from './connections.ts';
import { createHolding, forwardTo } from './forward-stream.ts';
import { isEncoded, mayBeEvents } from './response-head.ts';
import { createStreamOpening, type StreamOpening } from './stream-opening.ts';
import type { CallOutcome, UpstreamCall } from './upstream-call.ts';
import { upstreamRequest } from './upstream-request.ts';

/** A call under way. */
export interface RunningCall {
  readonly outcome: Promise<CallOutcome>;
  /** Called about once a second: ends a stream whose upstream has finished but does not close. */
  tick(): void;
}

/**
 * Calls one upstream once. A stream goes to the client as it arrives; everything else is gathered
 * for the caller to judge. The outcome says what went wrong; it rejects with an exception of ours
 * alone.
 */
export function callUpstream(
  request: TextRequest,
  call: UpstreamCall,
  { upstreams }: { upstreams: UpstreamConnections },
): RunningCall {
  let tick = (): void => undefined;
  let prepared: Prepared | undefined;
  const prepare = (): Prepared => (prepared ??= prepareStream(request, call));
  const outcome = new Promise<CallOutcome>((resolve, reject) => {
    const giveUp = upstreams.call(upstreamRequest(request, call), {
      streamed(head, flow) {
        if (!call.wantsStream || head.status >= 300 || isEncoded(head) || !mayBeEvents(head)) {
          return undefined;
        }
        request.facts.firstByteMs ??= performance.now() - request.startedMs;
        const { opening, engine } = prepare();
        return createHolding(call, {
          head,
          opening,
          resolve,
          giveUp: (reason) => {
            giveUp(reason);
          },
          forward: () => {
            const stream = forwardTo(call, {
              head,
              flow,
              engine,
              resolve,
              giveUp: (reason) => {
                giveUp(reason);
              },
            });
            tick = stream.tick;
            return stream;
          },
        });
      },
      whole(head, body) {
        request.facts.firstByteMs ??= performance.now() - request.startedMs;
        resolve({ kind: 'whole', head, body });
      },
      failed(failure) {
        resolve({ kind: 'failed', failure });
      },
      threw: reject,
    });
    request.abandon = giveUp;
    // While the upstream thinks: undici writes to a connection that was idle at the end of this turn,
    // and what is asked for after that comes behind it.
    if (call.wantsStream) setImmediate(guarded(reject, prepare));
  });
  return {
    outcome,
    tick: () => {
      tick();
    },
  };
}

/** What a stream needs from its first byte on. */
interface Prepared {
  readonly opening: StreamOpening;
  readonly engine: StreamEngine;
}

const prepareStream = (request: TextRequest, call: UpstreamCall): Prepared => ({
  opening: createStreamOpening(call.provider.kind),
  engine: engineOf(request, call),
});

function engineOf(
  request: TextRequest,
  { rendered, route, provider, upstream, includeUsage }: UpstreamCall,
): StreamEngine {
  if (rendered.memory === null) {
    const { model } = request.facts;
    return createPassThroughEngine(provider.kind, {
      rewriteModel: model !== undefined && model !== route.upstreamModel ? model : null,
      stripUsageChunk: rendered.usageAdded && !includeUsage,
      requestId: request.requestId,
      ...(rendered.response !== undefined && {
        response: { ...rendered.response, onResponse: request.onResponse },
      }),
    });
  }
  return createTranslatingEngine({
    client: request.path.dialect,
    upstream: provider.kind,
    memory: rendered.memory,
    identity: identityOf(request),
    onResponse: request.onResponse,
    ...(provider.kind === 'chat' && { chatQuirks: chatQuirksFor(upstream) }),
  });
}
