import { Counter, type Log, type Registry } from '@gateway/runtime';
import type { AttemptReport, DeferReason } from '../use-cases/attempt.ts';

/** One log line and one count an attempt. Addresses are for the operator, who reads these; customers read the delivery log. */
export function createObserver(log: Log, metrics: Registry): { onAttempt(report: AttemptReport): void; onDefer(reason: DeferReason): void } {
  const attempts = new Counter({ name: 'gateway_callback_attempts_total', help: 'Challenges and pushes sent, by how the attempt ended.', labelNames: ['class'], registers: [metrics] });
  const stopped = new Counter({ name: 'gateway_callbacks_stopped_total', help: 'Tasks whose pushing stopped for good.', labelNames: ['reason'], registers: [metrics] });
  const deferred = new Counter({ name: 'gateway_callbacks_deferred_total', help: 'Pushes put off, at no cost of an attempt, because of the limits on their receiver.', labelNames: ['reason'], registers: [metrics] });
  const onAttempt = ({ message, judgement, outcome, progress, recorded }: AttemptReport): void => {
    const { attemptClass, httpStatus, remoteAddress } = judgement;
    attempts.inc({ class: attemptClass });
    log.info('callback attempt', {
      event: message.event, sequence: message.sequence, attempt: message.attempt, class: attemptClass, status: httpStatus, ms: outcome.durationMs, remoteAddress,
      ...(outcome.kind === 'failed' && outcome.blockedAddress !== undefined && { blockedAddress: outcome.blockedAddress }),
    });
    if (recorded === 'lost') {
      log.warn('callback attempt not recorded: the task was deleted, or the claim lost to another dispatcher', { sequence: message.sequence });
      return;
    }
    if (progress.kind !== 'stop') return;
    stopped.inc({ reason: progress.reason });
    log.warn('callback stopped', { reason: progress.reason, detail: judgement.detail });
  };
  return { onAttempt, onDefer: (reason) => { deferred.inc({ reason }); } };
}
