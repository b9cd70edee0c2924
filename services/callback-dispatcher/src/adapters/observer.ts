import { Counter, type Log, type Registry } from '@gateway/runtime';
import type { AttemptReport } from '../use-cases/push-events.ts';

/** One log line and one count an attempt. Addresses are for the operator, who reads these; customers read the delivery log. */
export function createObserver(log: Log, metrics: Registry): (report: AttemptReport) => void {
  const attempts = new Counter({ name: 'gateway_callback_attempts_total', help: 'Challenges and pushes sent, by how the attempt ended.', labelNames: ['class'], registers: [metrics] });
  const stopped = new Counter({ name: 'gateway_callbacks_stopped_total', help: 'Tasks whose pushing stopped for good.', labelNames: ['reason'], registers: [metrics] });
  return ({ message, judgement, outcome, progress, recorded }) => {
    const { attemptClass, httpStatus, remoteAddress } = judgement;
    attempts.inc({ class: attemptClass });
    log.info('callback attempt', {
      event: message.event, sequence: message.sequence, attempt: message.attempt, class: attemptClass, status: httpStatus, ms: outcome.durationMs, remoteAddress,
      ...(outcome.kind === 'failed' && outcome.blockedAddress !== undefined && { blockedAddress: outcome.blockedAddress }),
    });
    if (!recorded) {
      log.warn('callback attempt not recorded: the task was deleted, or the claim lost to another dispatcher', { sequence: message.sequence });
      return;
    }
    if (progress.kind !== 'stop') return;
    stopped.inc({ reason: progress.reason });
    log.warn('callback stopped', { reason: progress.reason, detail: judgement.detail });
  };
}
