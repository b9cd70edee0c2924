import type { TextProvider, TextRoute } from '@gateway/contracts';
import {
  chatQuirksFor,
  type Dialect,
  type Upstream,
  type UpstreamFailure,
} from '@gateway/text-dialects';
import type { CallFailure } from './after-failure.ts';
import type { Downstream } from './downstream.ts';
import { identityOf, type Exchange } from './exchange.ts';
import {
  answerHeaders,
  eventStreamHeaders,
  passThroughHeaders,
  translatedHeaders,
  withTrace,
} from './headers.ts';
import { createOpening } from './opening.ts';
import type { Rendered } from './prepare.ts';
import {
  createPassThroughEngine,
  createTranslatingEngine,
  silent,
  truncated,
  type StreamEngine,
} from './stream-engine.ts';
import { isEncoded, type Flow, type Head, type StreamSink, type Upstreams } from './upstreams.ts';

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

const messagesVersion = '2023-06-01';
/**
 * An upstream that has said how its answer ends but does not close gets this long for what may
 * follow.
 */
const lingerMs = 3_000;

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
    const giveUp = upstreams.call(requestOf(exchange, call), {
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

interface Answered {
  readonly head: Head;
  readonly giveUp: (reason: string) => void;
  readonly resolve: (outcome: CallOutcome) => void;
}

/**
 * Holds a stream's beginning back until it is known to be an answer, then forwards it. What ends
 * before is judged as a whole.
 */
function createHolding(
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

function forwardTo(
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

function requestOf(
  { request, path, trace }: Exchange,
  { provider, rendered, wantsStream }: RouteCall,
): Parameters<Upstreams['call']>[0] {
  const same = rendered.memory === null;
  const endpoint = endpointOf(provider);
  const query = same ? queryOf(request.url) : '';
  const headers = same
    ? passThroughHeaders(request, provider)
    : translatedHeaders(provider, messagesVersion);
  return {
    origin: endpoint.origin,
    path: `${path.operation === 'count_tokens' ? endpoint.count : endpoint.create}${query}`,
    headers: trace?.tellsUpstreams === true ? withTrace(headers, trace.traceparent()) : headers,
    body: rendered.body,
    connectTimeoutMs: provider.connectTimeoutMs,
    headTimeoutMs: wantsStream ? provider.firstByteTimeoutMs : provider.answerTimeoutMs,
    idleTimeoutMs: provider.idleTimeoutMs,
  };
}

function headersOf({ rendered }: RouteCall, head: Head): string[] {
  if (rendered.memory !== null) return [...eventStreamHeaders];
  const headers = ['x-accel-buffering', 'no'];
  answerHeaders(head.headers, headers);
  if (head.headers['content-type'] === undefined) headers.push(...eventStreamHeaders.slice(0, 2));
  return headers;
}

/** Some servers do not say what they send. */
export const mayBeEvents = (head: Head): boolean =>
  head.headers['content-type'] === undefined || isEventStream(head);

export const isEventStream = ({ headers }: Head): boolean =>
  /^text\/event-stream/i.test(headers['content-type'] ?? '');

const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

interface Endpoint {
  readonly origin: string;
  readonly create: string;
  readonly count: string;
}

const endpoints = new WeakMap<TextProvider, Endpoint>();

/**
 * Base URLs are written with and without the version: `https://api.anthropic.com`,
 * `https://api.openai.com/v1`, `https://host/compatible-mode/v1`.
 */
function endpointOf(provider: TextProvider): Endpoint {
  const known = endpoints.get(provider);
  if (known !== undefined) return known;
  const { origin, pathname } = new URL(provider.baseUrl);
  const base = pathname.replace(/\/+$/, '');
  const versioned =
    /\/v\d+[a-z0-9]*$/.test(base) || (provider.kind === 'chat' && base !== '')
      ? base
      : `${base}/v1`;
  const leaf: Readonly<Record<Dialect, string>> = {
    messages: '/messages',
    chat: '/chat/completions',
  };
  const create = `${versioned}${leaf[provider.kind]}`;
  const endpoint = { origin, create, count: `${create}/count_tokens` };
  endpoints.set(provider, endpoint);
  return endpoint;
}
