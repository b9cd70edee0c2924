import type {
  CallbackDeliveries,
  CallbackSummary,
  EndpointSummary,
  LoggedAttempt,
  ValidSecret,
} from '@gateway/store';

/** Where a task's callback stands, in the words of docs/callbacks.md. */
export const callbackResource = (summary: CallbackSummary) => ({
  state: stateOf(summary),
  reason: summary.stopReason,
  failures: summary.failures,
  pending: summary.pendingPushes,
  delivered_sequence: summary.deliveredSequence,
  last_attempt_at: summary.lastAttempt?.startedAt.toISOString() ?? null,
  last_outcome: summary.lastAttempt?.attemptClass ?? null,
  last_status: summary.lastAttempt?.httpStatus ?? null,
  next_attempt_at: summary.nextAttemptAt?.toISOString() ?? null,
});

/** The same of what goes to one endpoint of the account. */
export const endpointCallbackResource = (summary: EndpointSummary) => ({
  endpoint_id: summary.endpointId,
  url: summary.url,
  ...callbackResource(summary),
});

type Standing = Pick<CallbackDeliveries, 'summary' | 'endpointSummaries'>;

const readStanding = ({ summary, endpointSummaries }: Standing, taskId: string) =>
  Promise.all([summary(taskId), endpointSummaries(taskId)]);

/** Where pushing a task stands, to its own address and to the endpoints of its account. */
export async function standingOf(deliveries: Standing, taskId: string) {
  const [own, endpoints] = await readStanding(deliveries, taskId);
  return {
    callback: own === undefined ? null : callbackResource(own),
    endpoints: endpoints.map(endpointCallbackResource),
  };
}

/** The same behind a redelivery. A task without an address of its own shows its first endpoint there. */
export async function redeliveredResource(deliveries: Standing, taskId: string) {
  const [own, endpoints] = await readStanding(deliveries, taskId);
  const first = own ?? endpoints[0];
  if (first === undefined) throw new Error('a task was redelivered that has nothing to deliver');
  return {
    id: taskId,
    object: 'video.redelivery',
    callback: callbackResource(first),
    endpoints: endpoints.map(endpointCallbackResource),
  };
}

function stateOf({
  state,
  verifiedAt,
}: CallbackSummary): 'pending_verification' | 'verified' | 'unverified' | 'stopped' {
  if (state === 'unverified') return 'pending_verification';
  return state === 'stopped' && verifiedAt === null ? 'unverified' : state;
}

/**
 * One entry of the delivery log, without the address that was reached: it would tell a stranger
 * what our DNS knows.
 */
export const attemptResource = (taskId: string, attempt: LoggedAttempt) => ({
  id: attempt.id,
  object: 'callback_attempt',
  endpoint_id: attempt.endpointId,
  event: attempt.sequence === null ? 'callback.challenge' : 'video.status_changed',
  sequence: attempt.sequence,
  status: attempt.status,
  message_id: `msg_${taskId.slice(taskId.indexOf('_') + 1)}_${attempt.sequence ?? 'challenge'}`,
  attempt: attempt.attempt,
  trigger: attempt.trigger,
  started_at: attempt.startedAt.toISOString(),
  duration_ms: attempt.durationMs,
  outcome: attempt.attemptClass,
  http_status: attempt.httpStatus,
  detail: attempt.detail,
  answer: attempt.answerExcerpt,
  next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
});

/** The secret that signs, and those before it that still do. */
export const secretResource = ([current, ...previous]: readonly ValidSecret[]) => ({
  object: 'callback_secret',
  secret: current?.secret ?? null,
  created_at: current?.createdAt.toISOString() ?? null,
  previous: previous.map(({ createdAt, expiresAt }) => ({
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  })),
});
