import type { Log } from '@gateway/runtime';
import type { UpstreamFailure } from '@gateway/text-dialects';
import { usageOrEstimate } from '../record/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { CallFailure, CallOutcome, UpstreamCall } from '../upstream/index.ts';
import { logFailure } from './log-failure.ts';
import { reportOutcome, type ReportOptions } from './report-outcome.ts';
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

export interface JudgeOptions extends ReportOptions {
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
 * route's circuit breakers.
 */
export function judgeOutcome(
  request: TextRequest,
  ended: EndedCall,
  { log, inputTokens, ...report }: JudgeOptions,
): FailedAttempt | undefined {
  const { failed, failure } = judge(request, ended, inputTokens);
  const { call } = ended;
  if (failure !== undefined) logFailure(log, request, { route: call.route, failure });
  reportOutcome(request, { call, failure }, report);
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
    chargeWhoLeft(request, outcome.failure, inputTokens);
    return { failed: { failure: outcome.failure }, failure: outcome.failure };
  }
  if (outcome.kind === 'error_event') return failureReported(outcome.failure);
  if (outcome.kind === 'whole') {
    return judgeWhole(request, () => readWholeResponse(request, outcome, call), inputTokens);
  }
  const { engine, failure } = outcome;
  request.facts.usage = usageOrEstimate(engine.usage(), {
    complete: engine.finished && !engine.failed,
    outputBytes: engine.outputBytes,
    inputTokens,
  });
  request.facts.failed =
    failure !== undefined || engine.failed || (!engine.finished && !request.clientGone);
  return failure === undefined ? {} : { failure };
}

/** The upstream has the prompt and works on it: leaving before its response does not make it free. */
function chargeWhoLeft(
  request: TextRequest,
  failure: CallFailure,
  inputTokens: () => number,
): void {
  if (failure.kind !== 'aborted' || !failure.sent || !request.clientGone) return;
  request.facts.usage = usageOrEstimate(null, { complete: false, outputBytes: 0, inputTokens });
}

/**
 * For a completion that an exception of ours has cut off: the upstream has charged for it, and the
 * client has read the beginning. Nothing is charged for one of which nothing was streamed.
 */
export function chargeCutOff(
  request: TextRequest,
  { clientStream }: Pick<UpstreamCall, 'clientStream'>,
  inputTokens: () => number,
): void {
  const { usage, outputBytes } = clientStream.usageSoFar();
  if (usage === null && outputBytes === 0) return;
  request.facts.usage ??= usageOrEstimate(usage, { complete: false, outputBytes, inputTokens });
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
