import type { TextModel } from '@gateway/contracts';
import type { CompletionRequest } from '../arrive/index.ts';
import { ClientStream, forwardHeaders, sendResponse } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import { callUpstream, type CallOutcome, type UpstreamCall } from '../upstream/index.ts';
import { composeCall } from './compose-call.ts';
import type { CompletionPorts } from './complete-request.ts';
import { logFailure } from './log-failure.ts';
import { accountOf, reportOutcome } from './report-outcome.ts';
import { endTracedAttempt } from './trace-attempt.ts';
import type { KnownRoute } from './route-slot.ts';

export type CountPorts = Pick<
  CompletionPorts,
  'preparation' | 'media' | 'upstreams' | 'breakers' | 'log'
>;

/** Counting must not keep a client waiting: an estimate is at hand. */
const countTimeoutMs = 10_000;

/**
 * Tokens of a prompt: counted by the upstream where it speaks the dialect and can, estimated here
 * otherwise.
 */
export function createCountTokens(
  ports: CountPorts,
): (request: TextRequest, wanted: CompletionRequest) => Promise<void> {
  return async (request, wanted) => {
    if (await countUpstream(ports, request, wanted)) return;
    const counted = ports.preparation.count(wanted.body);
    const tokens = counted instanceof Promise ? await counted : counted;
    sendResponse(request, {
      status: 200,
      headers: ['content-type', 'application/json', 'x-gateway-estimated', 'true'],
      body: JSON.stringify({ input_tokens: tokens }),
    });
  };
}

/** A count, or a refusal of the request as such. A page, or an error under a 200, is neither. */
function isForClient(status: number, bytes: Buffer): boolean {
  if (status !== 200) return status === 400 || status === 413;
  try {
    return (
      typeof (JSON.parse(bytes.toString()) as { input_tokens?: unknown } | null)?.input_tokens ===
      'number'
    );
  } catch {
    return false;
  }
}

/** The call's outcome, reported to the route's breakers and the log. */
async function callOnce(
  { upstreams, breakers, log }: CountPorts,
  request: TextRequest,
  call: UpstreamCall,
): Promise<CallOutcome> {
  request.trace?.beginAttempt(call, 1);
  const outcome = await callUpstream(request, call, { upstreams }).outcome;
  if (request.trace !== undefined) endTracedAttempt(request.trace, outcome, undefined);
  if (outcome.kind === 'failed') {
    reportOutcome(request, { call, failure: outcome.failure }, { breakers });
    logFailure(log, request, { route: call.route, failure: outcome.failure });
  }
  // An upstream that cannot count may complete all the same.
  if (outcome.kind === 'whole' && outcome.head.status < 500) {
    reportOutcome(request, { call, failure: undefined }, { breakers });
  }
  return outcome;
}

/** The first route whose upstream counts in this dialect, if its breakers let the request through. */
function countingRoute(
  { breakers }: CountPorts,
  request: TextRequest,
  model: TextModel,
): KnownRoute | undefined {
  const { textProviders } = request.configuration;
  const route = model.routes.find(
    ({ provider }) => textProviders.get(provider)?.kind === 'messages',
  );
  const provider = textProviders.get(route?.provider ?? '');
  if (route === undefined || provider === undefined) return undefined;
  return breakers.mayTry(route.name, accountOf(request)) ? { route, provider } : undefined;
}

/** True when the upstream's count, or its refusal of the request as such, went to the client. */
async function countUpstream(
  ports: CountPorts,
  request: TextRequest,
  wanted: CompletionRequest,
): Promise<boolean> {
  const known = countingRoute(ports, request, wanted.model);
  if (known === undefined) return false;
  const { route, provider } = known;
  const composed = composeCall(ports, request, {
    route,
    wanted: { ...wanted, wantsStream: false },
    clientStream: new ClientStream(request),
    provider: {
      ...provider,
      responseTimeoutMs: Math.min(countTimeoutMs, provider.responseTimeoutMs),
    },
  });
  const call = composed instanceof Promise ? await composed : composed;
  if (request.clientGone) return true;
  const outcome = await callOnce(ports, request, call);
  if (outcome.kind !== 'whole') return request.clientGone;
  const { head, body: bytes } = outcome;
  if (!isForClient(head.status, bytes)) return false;
  const headers: string[] = [];
  forwardHeaders(head.headers, headers);
  sendResponse(request, { status: head.status, headers, body: bytes });
  return true;
}
