import { GatewayError } from '@gateway/domain';
import type { Slot } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import { clientsRecoverFrom } from '@gateway/text-dialects';
import type { CompletionRequest } from '../arrive/index.ts';
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
import { composeCall, noteAttempt, type ComposePorts } from './compose-call.ts';
import { failureOf, sendCallFailure, sendRefusal } from './conclude.ts';
import { chargeCutOff, judgeOutcome, type EndedCall, type FailedAttempt } from './judge-outcome.ts';
import { accountOf } from './report-outcome.ts';
import {
  releaseSlot,
  takeSlot,
  waitForSlot,
  type KnownRoute,
  type SlotHolder,
  type SlotPorts,
} from './route-slot.ts';
import { endTracedAttempt } from './trace-attempt.ts';

export interface CompletionPorts extends ComposePorts, SlotPorts {
  readonly upstreams: UpstreamConnections;
  readonly open: OpenCompletions;
  readonly log: Pick<Log, 'warn'>;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** More would only add to an outage. */
const maxAttempts = 4;
const pauseMs = 200;

/** The completion of one request, on its way from route to route. */
class RunningCompletion implements OpenCompletion, SlotHolder {
  readonly request: TextRequest;
  readonly wanted: CompletionRequest;
  readonly clientStream: ClientStream;
  readonly stream: boolean;
  /** Why the last attempt left the client waiting. */
  last: FailedAttempt | undefined;
  /** Why an upstream's dialect cannot express the request. */
  inexpressible: GatewayError | undefined;
  running: RunningCall | undefined;
  /** The route's breakers refuse the request, and there is no other route left. */
  atLast = false;
  /** The first route whose provider had no slot free. */
  full: KnownRoute | undefined;
  /** Held for the route that is tried. */
  slot: Slot | undefined;
  /** Why no slot became free. */
  noSlot: GatewayError | undefined;
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
    ports.open.add(completion);
    try {
      if (!(await tryRoutes(ports, completion))) conclude(completion);
    } catch (error) {
      chargeCutOff(request, completion, () => wanted.body.estimate());
      throw error;
    } finally {
      ports.open.remove(completion);
    }
  };
}

/** True when the client has its response. */
async function tryRoutes(ports: CompletionPorts, completion: RunningCompletion): Promise<boolean> {
  const account = accountOf(completion.request);
  let refused: KnownRoute | undefined;
  for (const known of knownRoutes(ports, completion)) {
    if (!ports.breakers.mayTry(known.route.name, account)) refused ??= known;
    else if (await tryRoute(ports, completion, known)) return true;
    else if (nextAttempt(completion) === 'no') return false;
  }
  const { full } = completion;
  if (full !== undefined) {
    if (await tryAfterWait(ports, completion, full)) return true;
    if (nextAttempt(completion) === 'no') return false;
  }
  return refused !== undefined && tryAtLast(ports, completion, refused);
}

/** Tries a route whose breakers refuse the request, at a limited rate. */
async function tryAtLast(
  ports: CompletionPorts,
  completion: RunningCompletion,
  refused: KnownRoute,
): Promise<boolean> {
  const account = accountOf(completion.request);
  if (!ports.breakers.mayTryAtLast(refused.route.name, account)) return false;
  completion.atLast = true;
  return tryRoute(ports, completion, refused);
}

async function tryAfterWait(
  ports: CompletionPorts,
  completion: RunningCompletion,
  full: KnownRoute,
): Promise<boolean> {
  return (await waitForSlot(ports, completion, full)) && tryRoute(ports, completion, full);
}

/** The routes in the order they are tried. */
const knownRoutes = (
  { random }: CompletionPorts,
  { request, wanted }: RunningCompletion,
): KnownRoute[] =>
  chooseRoutes(wanted.model.routes, random).flatMap((route) => {
    const provider = request.configuration.textProviders.get(route.provider);
    return provider === undefined ? [] : [{ route, provider }];
  });

async function tryRoute(
  ports: CompletionPorts,
  completion: RunningCompletion,
  known: KnownRoute,
): Promise<boolean> {
  try {
    return await attemptRoute(ports, completion, known);
  } catch (error) {
    // This upstream's dialect cannot express the request; another's may.
    if (!GatewayError.is(error)) throw error;
    completion.inexpressible ??= error;
    return false;
  }
}

/**
 * True when the client has its response. The same route is tried once more after a failure that may
 * pass.
 */
async function attemptRoute(
  ports: CompletionPorts,
  completion: RunningCompletion,
  { route, provider }: KnownRoute,
): Promise<boolean> {
  const { request, wanted, clientStream } = completion;
  const taken = takeSlot(ports, completion, provider);
  const slot = taken instanceof Promise ? await taken : taken;
  if (slot === undefined) return noteFull(completion, { route, provider });
  completion.slot = slot;
  try {
    for (let isRetry = false; ; isRetry = true) {
      const composed = composeCall(ports, request, {
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
      if (isRetry || !mayRepeat(completion)) return false;
      await ports.wait(pauseMs * (0.5 + ports.random()));
      if (!mayRepeat(completion)) return false;
    }
  } finally {
    releaseSlot(ports, completion, provider);
  }
}

function noteFull(completion: RunningCompletion, known: KnownRoute): false {
  completion.full ??= known;
  return false;
}

/** Whether the route may be tried once more. */
const mayRepeat = (completion: RunningCompletion): boolean =>
  !completion.atLast && nextAttempt(completion) === 'same_route';

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
    atLast: completion.atLast,
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

function conclude(completion: RunningCompletion): void {
  const { request, clientStream, inexpressible } = completion;
  if (request.clientGone) return;
  // The client's next request can be served by this route, whatever became of the others.
  if (inexpressible !== undefined && !clientStream.opened && clientsRecoverFrom(inexpressible)) {
    throw inexpressible;
  }
  tellFailure(completion);
}

function tellFailure(completion: RunningCompletion): void {
  const { request, clientStream, last, inexpressible } = completion;
  if (last?.response !== undefined) sendRefusal(request, last.response);
  else if (last?.reported !== undefined) sendCallFailure(request, last.reported, { clientStream });
  else if (last !== undefined) sendCallFailure(request, last.failure, { clientStream });
  else {
    const error = completion.noSlot ?? inexpressible ?? noRoute();
    if (!clientStream.opened) throw error;
    // A ping went to the client while its request waited.
    sendCallFailure(request, failureOf(error), { clientStream });
  }
}

const noRoute = (): GatewayError =>
  new GatewayError(
    'upstream_unavailable',
    'no upstream can take this request right now; try again',
    { retryAfterMs: 5_000 },
  );
