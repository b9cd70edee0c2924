import type { TextProvider, TextRoute } from '@gateway/contracts';
import { chatQuirksFor, type Upstream, type UpstreamFailure } from '@gateway/text-dialects';
import type { Rendered } from '../arrive/index.ts';
import {
  createPassThroughEngine,
  createTranslatingEngine,
  type Downstream,
  type StreamEngine,
} from '../client/index.ts';
import { identityOf, type Exchange } from '../request/index.ts';
import type { CallFailure } from './call-failure.ts';
import type { Upstreams } from './connections.ts';
import { createHolding, forwardTo } from './forward-stream.ts';
import { isEncoded, mayBeEvents, type Head } from './response-head.ts';
import { upstreamRequest } from './upstream-request.ts';

export interface RouteCall {
  readonly route: TextRoute;
  readonly provider: TextProvider;
  readonly upstream: Upstream;
  readonly rendered: Rendered;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
  readonly downstream: Downstream;
}

/**
 * How one call ended. `streamed`: the client has got what there was, a failure told inside the
 * stream included.
 */
export type CallOutcome =
  | {
      readonly kind: 'streamed';
      readonly engine: StreamEngine;
      readonly failure: CallFailure | undefined;
    }
  | { readonly kind: 'whole'; readonly head: Head; readonly body: Buffer }
  /** The first event was a failure; nothing of it went to the client. */
  | { readonly kind: 'told'; readonly failure: UpstreamFailure }
  | { readonly kind: 'failed'; readonly failure: CallFailure };

export interface RunningCall {
  readonly outcome: Promise<CallOutcome>;
  /** Called about once a second: ends a stream whose upstream has finished but does not close. */
  tick(): void;
}

/**
 * Calls one route once. A stream goes to the client as it comes; everything else is gathered and
 * judged by the caller.
 */
export function callRoute(
  exchange: Exchange,
  call: RouteCall,
  { upstreams }: { upstreams: Upstreams },
): RunningCall {
  let tick = (): void => undefined;
  let engine: StreamEngine | undefined;
  const outcome = new Promise<CallOutcome>((resolve) => {
    const giveUp = upstreams.call(upstreamRequest(exchange, call), {
      streamed(head, flow) {
        if (!call.wantsStream || head.status >= 300 || isEncoded(head) || !mayBeEvents(head)) {
          return undefined;
        }
        exchange.facts.firstByteMs ??= performance.now() - exchange.startedMs;
        return createHolding(call, {
          head,
          resolve,
          giveUp: (reason) => {
            giveUp(reason);
          },
          forward: () => {
            engine ??= engineOf(exchange, call);
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
        exchange.facts.firstByteMs ??= performance.now() - exchange.startedMs;
        resolve({ kind: 'whole', head, body });
      },
      failed(failure) {
        resolve({ kind: 'failed', failure });
      },
    });
    exchange.abandon = giveUp;
    // While the upstream thinks, and not while its first bytes wait.
    if (call.wantsStream) engine = engineOf(exchange, call);
  });
  return {
    outcome,
    tick: () => {
      tick();
    },
  };
}

function engineOf(
  exchange: Exchange,
  { rendered, route, provider, upstream, includeUsage }: RouteCall,
): StreamEngine {
  const client = exchange.path.dialect;
  if (rendered.memory === null) {
    const { model } = exchange.facts;
    return createPassThroughEngine(client, {
      rewriteModel: model !== undefined && model !== route.upstreamModel ? model : null,
      stripUsageChunk: rendered.usageAdded && !includeUsage,
      requestId: exchange.requestId,
    });
  }
  return createTranslatingEngine({
    client,
    upstream: provider.kind,
    memory: rendered.memory,
    identity: identityOf(exchange),
    ...(provider.kind === 'chat' && { chatQuirks: chatQuirksFor(upstream) }),
  });
}
