import type { Breakers } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import type { UpstreamFailure } from '@gateway/text-dialects';
import { usageOrEstimate } from '../record/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { CallFailure, CallOutcome, UpstreamCall } from '../upstream/index.ts';
import { afterFailure } from './after-failure.ts';
import { logFailure } from './log-failure.ts';
import {
  faultIn,
  forwardWholeResponse,
  isUpstreamFault,
  readWholeResponse,
  type WholeResponse,
} from './whole-response.ts';

/** Everything known of an attempt that left the client waiting. */
export interface FailedAttempt {
  readonly failure: CallFailure;
  /** The upstream's own response, when there was one. */
  readonly response?: WholeResponse;
  /** The failure it reported, when that came as something other than a refusal. */
  readonly reported?: UpstreamFailure;
}

export interface JudgeOptions {
  readonly breakers: Breakers;
  readonly log: Pick<Log, 'warn'>;
  /** Estimated tokens of the prompt, for upstreams that report none. */
  readonly inputTokens: () => number;
}

/** A call and how it ended. */
export interface EndedCall {
  readonly call: UpstreamCall;
  readonly outcome: CallOutcome;
}

/**
 * What one call came to: undefined when the client has its completion, else why not. Reports to the
 * route's circuit breaker.
 */
export function judgeOutcome(
  request: TextRequest,
  ended: EndedCall,
  { breakers, log, inputTokens }: JudgeOptions,
): FailedAttempt | undefined {
  const { failed, failure } = judge(request, ended, inputTokens);
  const { call } = ended;
  const { name: circuit } = call.route;
  if (failure !== undefined) logFailure(log, request, { route: call.route, failure });
  if (failure === undefined) breakers.succeeded(circuit);
  else if (failure.kind === 'aborted') return failed;
  else if (afterFailure(failure).blame) breakers.failed(circuit);
  else breakers.succeeded(circuit);
  return failed;
}

interface Judgement {
  /** Present while the client still waits. */
  readonly failed?: FailedAttempt;
  /** What the route did wrong, if anything. */
  readonly failure?: CallFailure;
}

function judge(
  request: TextRequest,
  { outcome, call }: EndedCall,
  inputTokens: () => number,
): Judgement {
  if (outcome.kind === 'failed') {
    return { failed: { failure: outcome.failure }, failure: outcome.failure };
  }
  if (outcome.kind === 'error_event') return failureReported(outcome.failure);
  if (outcome.kind === 'whole') {
    return judgeWhole(request, () => readWholeResponse(request, outcome, call), inputTokens);
  }
  const { engine, failure } = outcome;
  request.facts.usage = usageOrEstimate(engine.usage(), {
    complete: engine.finished && !engine.failed,
    outputCharacters: engine.outputCharacters,
    inputTokens,
  });
  request.facts.failed =
    failure !== undefined || engine.failed || (!engine.finished && !request.clientGone);
  return failure === undefined ? {} : { failure };
}

function judgeWhole(
  request: TextRequest,
  read: () => WholeResponse,
  inputTokens: () => number,
): Judgement {
  try {
    return judgeResponse(request, read(), inputTokens);
  } catch (error) {
    if (isUpstreamFault(error)) return failureReported(error.failure);
    throw error;
  }
}

function judgeResponse(
  request: TextRequest,
  response: WholeResponse,
  inputTokens: () => number,
): Judgement {
  const fault = faultIn(response);
  if (fault === undefined) {
    forwardWholeResponse(request, response, inputTokens);
    return {};
  }
  const status = response.head.status >= 400 ? response.head.status : fault.status;
  const failure: CallFailure = {
    kind: 'refused',
    status,
    retryAfterMs:
      fault.retryAfterSeconds === undefined ? undefined : fault.retryAfterSeconds * 1000,
  };
  return { failed: { failure, response }, failure };
}

/** A failure in the guise of a completion. */
function failureReported(reported: UpstreamFailure): Judgement {
  const failure: CallFailure = {
    kind: 'refused',
    status: reported.status,
    retryAfterMs: undefined,
  };
  return { failed: { failure, reported }, failure };
}
