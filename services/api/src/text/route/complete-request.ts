import type { TextProvider, TextRoute } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Breakers, Slot, Slots } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import type { CompletionRequest, Preparation } from '../arrive/index.ts';
import { ClientStream, type OpenCompletion, type OpenCompletions } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import {
  callUpstream,
  type CallOutcome,
  type RunningCall,
  type UpstreamCall,
  type UpstreamConnections,
} from '../upstream/index.ts';
import { afterFailure, type NextStep } from './after-failure.ts';
import { chooseRoutes } from './choose-routes.ts';
import { composeCall, noteAttempt } from './compose-call.ts';
import { sendCallFailure, sendRefusal } from './conclude.ts';
import { judgeOutcome, type EndedCall, type FailedAttempt } from './judge-outcome.ts';
import { endTracedAttempt } from './trace-attempt.ts';

export interface CompletionPorts {
  readonly preparation: Preparation;
  readonly upstreams: UpstreamConnections;
  readonly breakers: Breakers;
  readonly slots: Slots;
  readonly open: OpenCompletions;
  readonly log: Pick<Log, 'warn'>;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** More would only add to an outage. */
const maxAttempts = 4;
const pauseMs = 200;

/** The completion of one request, on its way from route to route. */
class RunningCompletion implements OpenCompletion {
  readonly request: TextRequest;
  readonly wanted: CompletionRequest;
  readonly clientStream: ClientStream;
  readonly stream: boolean;
  /** Why the last attempt left the client waiting. */
  last: FailedAttempt | undefined;
  running: RunningCall | undefined;
  place = -1;

  constructor(request: TextRequest, wanted: CompletionRequest) {
    this.request = request;
    this.wanted = wanted;
    this.clientStream = new ClientStream(request);
    this.stream = wanted.wantsStream;
  }

  tick(): void {
    this.running?.tick();
  }

  abandon(reason: string): void {
    this.request.abandon(reason);
  }
}

/**
 * Completes one request: tries its routes in turn, each judged by what it did before the first
 * byte. Returns when the client has its response or has left. Throws upstream_unavailable when no
 * route may be tried, and the refusal of a request that no upstream's dialect can express.
 */
export function createCompleteRequest(
  ports: CompletionPorts,
): (request: TextRequest, wanted: CompletionRequest) => Promise<void> {
  return async (request, wanted) => {
    const completion = new RunningCompletion(request, wanted);
    let inexpressible: GatewayError | undefined;
    ports.open.add(completion);
    try {
      for (const route of chooseRoutes(wanted.model.routes, ports.random)) {
        const provider = request.configuration.textProviders.get(route.provider);
        if (provider === undefined || !ports.breakers.mayTry(route.name)) continue;
        try {
          if (await attemptRoute(ports, completion, { route, provider })) return;
        } catch (error) {
          // This upstream's dialect cannot express the request; another's may.
          if (!GatewayError.is(error)) throw error;
          inexpressible ??= error;
        }
        if (nextAttempt(completion) === 'no') break;
      }
      conclude(completion, inexpressible);
    } finally {
      ports.open.remove(completion);
    }
  };
}

/**
 * True when the client has its response. The same route is tried once more after a failure that may
 * pass.
 */
async function attemptRoute(
  ports: CompletionPorts,
  completion: RunningCompletion,
  { route, provider }: { route: TextRoute; provider: TextProvider },
): Promise<boolean> {
  const { request, wanted, clientStream } = completion;
  const slot =
    provider.maxConcurrent === undefined
      ? unlimited
      : await ports.slots.acquire(`provider:${provider.name}`, provider.maxConcurrent);
  if (slot === undefined) return false;
  try {
    for (let isRetry = false; ; isRetry = true) {
      const composed = composeCall(ports.preparation, request, {
        wanted,
        route,
        provider,
        clientStream,
      });
      const call = composed instanceof Promise ? await composed : composed;
      // The client has left meanwhile, so nobody would abandon this call.
      if (request.clientGone) return false;
      const outcome = await begin(ports, completion, call);
      if (judge(ports, completion, { call, outcome })) return true;
      if (isRetry || nextAttempt(completion) !== 'same_route') return false;
      await ports.wait(pauseMs * (0.5 + ports.random()));
      if (nextAttempt(completion) !== 'same_route') return false;
    }
  } finally {
    slot.release();
  }
}

function begin(
  ports: CompletionPorts,
  completion: RunningCompletion,
  call: UpstreamCall,
): Promise<CallOutcome> {
  const { request } = completion;
  noteAttempt(request, call);
  if (request.trace !== undefined) request.trace.beginAttempt(call, request.facts.attempts);
  completion.running = callUpstream(request, call, ports);
  return completion.running.outcome;
}

/** True when the client has its response. */
function judge(
  { breakers, log }: CompletionPorts,
  completion: RunningCompletion,
  ended: EndedCall,
): boolean {
  const { request, wanted } = completion;
  completion.last = judgeOutcome(request, ended, {
    breakers,
    log,
    inputTokens: () => wanted.body.estimate(),
  });
  if (request.trace !== undefined) endTracedAttempt(request.trace, ended.outcome, completion.last);
  return completion.last === undefined;
}

/** What may be tried next: nothing once a byte has reached the client, or the client has left. */
function nextAttempt({ request, clientStream, last }: RunningCompletion): NextStep['again'] {
  if (request.clientGone || clientStream.opened) return 'no';
  if (request.facts.attempts >= maxAttempts) return 'no';
  return last === undefined ? 'other_route' : afterFailure(last.failure).again;
}

function conclude(
  { request, clientStream, last }: RunningCompletion,
  inexpressible: GatewayError | undefined,
): void {
  if (request.clientGone) return;
  if (last?.response !== undefined) sendRefusal(request, last.response);
  else if (last?.reported !== undefined) sendCallFailure(request, last.reported, { clientStream });
  else if (last !== undefined) sendCallFailure(request, last.failure, { clientStream });
  else {
    throw (
      inexpressible ??
      new GatewayError(
        'upstream_unavailable',
        'no upstream can take this request right now; try again',
        { retryAfterMs: 5_000 },
      )
    );
  }
}

const unlimited: Slot = { release: () => undefined };
