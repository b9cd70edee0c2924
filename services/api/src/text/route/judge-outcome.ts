import type { Circuits } from '@gateway/limits';
import type { Log } from '@gateway/runtime';
import type { UpstreamFailure } from '@gateway/text-dialects';
import { usageOrEstimate } from '../record/index.ts';
import type { Exchange } from '../request/index.ts';
import type { CallFailure, CallOutcome, RouteCall } from '../upstream/index.ts';
import { afterFailure } from './after-failure.ts';
import { logFailure } from './log-failure.ts';
import {
  faultIn,
  isUpstreamFault,
  passOn,
  wholeAnswer,
  type WholeAnswer,
} from './whole-response.ts';

/** Everything known of a try that did not answer the client. */
export interface Failed {
  readonly failure: CallFailure;
  /** The upstream's own words, when it had any. */
  readonly answer?: WholeAnswer;
  /** What they mean, when they came as something else than a refusal. */
  readonly told?: UpstreamFailure;
}

export interface JudgeOptions {
  readonly circuits: Circuits;
  readonly log: Pick<Log, 'warn'>;
  /** Estimated tokens of the prompt, for upstreams that report none. */
  readonly inputTokens: () => number;
}

/** A call and how it ended. */
export interface EndedCall {
  readonly call: RouteCall;
  readonly outcome: CallOutcome;
}

/**
 * What one call came to: undefined when the client has its answer, else why not. Tells the route's
 * circuit.
 */
export function judgeOutcome(
  exchange: Exchange,
  ended: EndedCall,
  { circuits, log, inputTokens }: JudgeOptions,
): Failed | undefined {
  const { failed, failure } = judge(exchange, ended, inputTokens);
  const { call } = ended;
  const { name: circuit } = call.route;
  if (failure !== undefined) logFailure(log, exchange, { route: call.route, failure });
  if (failure === undefined) circuits.succeeded(circuit);
  else if (failure.kind === 'aborted') return failed;
  else if (afterFailure(failure).blame) circuits.failed(circuit);
  else circuits.succeeded(circuit);
  return failed;
}

interface Judgement {
  /** Present when the client still waits for an answer. */
  readonly failed?: Failed;
  /** What the route did wrong, if anything. */
  readonly failure?: CallFailure;
}

function judge(
  exchange: Exchange,
  { outcome, call }: EndedCall,
  inputTokens: () => number,
): Judgement {
  if (outcome.kind === 'failed') {
    return { failed: { failure: outcome.failure }, failure: outcome.failure };
  }
  if (outcome.kind === 'told') return toldFailure(outcome.failure);
  if (outcome.kind === 'whole') {
    return judgeWhole(exchange, () => wholeAnswer(exchange, outcome, call), inputTokens);
  }
  const { engine, failure } = outcome;
  exchange.facts.usage = usageOrEstimate(engine.usage(), {
    complete: engine.finished && !engine.failed,
    outputCharacters: engine.outputCharacters,
    inputTokens,
  });
  exchange.facts.failed =
    failure !== undefined || engine.failed || (!engine.finished && !exchange.gone);
  return failure === undefined ? {} : { failure };
}

function judgeWhole(
  exchange: Exchange,
  read: () => WholeAnswer,
  inputTokens: () => number,
): Judgement {
  try {
    return judgeAnswer(exchange, read(), inputTokens);
  } catch (error) {
    if (isUpstreamFault(error)) return toldFailure(error.failure);
    throw error;
  }
}

function judgeAnswer(
  exchange: Exchange,
  answer: WholeAnswer,
  inputTokens: () => number,
): Judgement {
  const fault = faultIn(answer);
  if (fault === undefined) {
    passOn(exchange, answer, inputTokens);
    return {};
  }
  const status = answer.head.status >= 400 ? answer.head.status : fault.status;
  const failure: CallFailure = {
    kind: 'refused',
    status,
    retryAfterMs:
      fault.retryAfterSeconds === undefined ? undefined : fault.retryAfterSeconds * 1000,
  };
  return { failed: { failure, answer }, failure };
}

/** A failure in the guise of an answer. */
function toldFailure(told: UpstreamFailure): Judgement {
  const failure: CallFailure = { kind: 'refused', status: told.status, retryAfterMs: undefined };
  return { failed: { failure, told }, failure };
}
