export { backoffDelayMs } from './backoff.ts';
export { judgeResponse, type Judgement } from './callback-judgement.ts';
export {
  afterFailure,
  type AfterFailure,
  type AttemptClass,
  attemptClasses,
  classOfStatus,
  defaultCallbackRetryDelaysMs,
  type FailedAttempt,
  parseRetryAfterMs,
  stopReasons,
  type StopReason,
} from './callback-schedule.ts';
export { signatureHeader } from './callback-signature.ts';
export { cancelPathAt, stepsWhereCancel } from './cancellation.ts';
export { echoesChallenge } from './challenge.ts';
export { toDecimal } from './decimal.ts';
export { errorCatalogue, type ErrorCode, type ErrorType } from './error-catalogue.ts';
export { describeError, type ErrorDetail, GatewayError } from './errors.ts';
export { type IdKind, idPattern, idPrefixes, isEntryId, isId, lowestIdAt } from './ids.ts';
export {
  longestPollDelayMs,
  needsBatchPolls,
  type NextPoll,
  nextPollDelayMs,
  type PollPace,
} from './poll-pace.ts';
export {
  chargeOf,
  costPlaces,
  type CostRules,
  costSum,
  costText,
  type FactorName,
  factorNames,
  outputRate,
  type PriceFacts,
  type PriceItem,
  priceItemKinds,
  type PriceTerms,
  type QuotaRules,
  quotaSum,
  type QuotaSum,
  scaledCost,
  termsOf,
} from './price/price-rules.ts';
export {
  type BilledLength,
  billedSeconds,
  secondQuota,
  type VideoPrice,
  videoTokens,
} from './price/video-price.ts';
export { maxQuota } from './quota.ts';
export { nothingSettled, settledWith, type SettledEvents } from './settled-events.ts';
export {
  causeToLeave,
  leaveCauses,
  pickRoute,
  type LeaveCause,
  type LeavePolicy,
  type RouteNews,
  type Weighted,
} from './routes.ts';
export {
  taskFailure,
  type TaskFailure,
  type TaskFailureCode,
  taskFailures,
} from './task-failure.ts';
export {
  diagram,
  isTerminal,
  liveStatuses,
  next,
  sourcesOf,
  successorsOf,
  targetOf,
  type TaskEvent,
  type TaskStatus,
  taskStatuses,
  type TaskStep,
  taskSteps,
  terminalStatuses,
} from './task-state.ts';
export { putOffs, tryOutcomes, type PutOff, type TryOutcome } from './task-try.ts';
export {
  maxCostNano,
  nanoPerQuota,
  type PricedTokens,
  tokenCost,
  type TokenPrice,
} from './token-price.ts';
