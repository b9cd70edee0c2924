import type { TextModel } from '@gateway/contracts';
import type { Breakers } from '@gateway/limits';
import type { RequestBody } from '../arrive/index.ts';
import { ClientStream, forwardHeaders, sendResponse } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import {
  callUpstream,
  type CallOutcome,
  type UpstreamCall,
  type UpstreamConnections,
} from '../upstream/index.ts';
import type { CompletionPorts } from './complete-request.ts';
import { logFailure } from './log-failure.ts';
import { endTracedAttempt } from './trace-attempt.ts';

export type CountPorts = Pick<CompletionPorts, 'preparation' | 'upstreams' | 'breakers' | 'log'>;

/** Counting must not keep a client waiting: an estimate is at hand. */
const countTimeoutMs = 10_000;

/**
 * Tokens of a prompt: counted by the upstream where it speaks the dialect and can, estimated here
 * otherwise.
 */
export function createCountTokens(
  ports: CountPorts,
): (request: TextRequest, model: TextModel, body: RequestBody) => Promise<void> {
  return async (request, model, body) => {
    if (await countUpstream(ports, request, { model, body })) return;
    const counted = ports.preparation.count(body);
    const tokens = counted instanceof Promise ? await counted : counted;
    sendResponse(request, {
      status: 200,
      headers: ['content-type', 'application/json', 'x-gateway-estimated', 'true'],
      body: JSON.stringify({ input_tokens: tokens }),
    });
  };
}

function noteFailure(breakers: Breakers, circuit: string, outcome: CallOutcome): void {
  if (outcome.kind === 'failed' && outcome.failure.kind !== 'aborted') breakers.failed(circuit);
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

async function callOnce(
  request: TextRequest,
  call: UpstreamCall,
  upstreams: UpstreamConnections,
): Promise<CallOutcome> {
  request.trace?.beginAttempt(call, 1);
  const outcome = await callUpstream(request, call, { upstreams }).outcome;
  if (request.trace !== undefined) endTracedAttempt(request.trace, outcome, undefined);
  return outcome;
}

/** True when the upstream's count, or its refusal of the request as such, went to the client. */
async function countUpstream(
  { preparation, upstreams, breakers, log }: CountPorts,
  request: TextRequest,
  { model, body }: { model: TextModel; body: RequestBody },
): Promise<boolean> {
  const { configuration } = request;
  const route = model.routes.find(
    ({ provider }) => configuration.textProviders.get(provider)?.kind === 'messages',
  );
  const provider =
    route === undefined ? undefined : configuration.textProviders.get(route.provider);
  if (route === undefined || provider === undefined || !breakers.mayTry(route.name)) return false;
  const upstream = {
    dialect: provider.kind,
    vendor: provider.vendor,
    model: route.upstreamModel,
    overrides: {},
  };
  const rendered = preparation.render(body, {
    kind: 'render',
    dialect: 'messages',
    upstream,
    addUsage: false,
  });
  const clientStream = new ClientStream(request);
  const call: UpstreamCall = {
    route,
    upstream,
    clientStream,
    wantsStream: false,
    includeUsage: false,
    provider: { ...provider, answerTimeoutMs: Math.min(countTimeoutMs, provider.answerTimeoutMs) },
    rendered: rendered instanceof Promise ? await rendered : rendered,
  };
  if (request.clientGone) return true;
  const outcome = await callOnce(request, call, upstreams);
  if (outcome.kind !== 'whole') {
    noteFailure(breakers, route.name, outcome);
    if (outcome.kind === 'failed') logFailure(log, request, { route, failure: outcome.failure });
    return request.clientGone;
  }
  breakers.succeeded(route.name);
  const { head, body: bytes } = outcome;
  if (!isForClient(head.status, bytes)) return false;
  const headers: string[] = [];
  forwardHeaders(head.headers, headers);
  sendResponse(request, { status: head.status, headers, body: bytes });
  return true;
}
