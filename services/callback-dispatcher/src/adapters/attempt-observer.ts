import { attemptClasses, stopReasons } from '@gateway/domain';
import { Counter, Histogram, type Log, type Registry } from '@gateway/runtime';
import type { AttemptReport, DeferReason } from '../use-cases/attempt.ts';

/** Seconds, up to the longest CALLBACK_TIMEOUT_MS. */
const attemptBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

interface AttemptMetrics {
  readonly attempts: Counter<'class'>;
  readonly stopped: Counter<'reason'>;
  readonly durations: Histogram<'class'>;
  readonly deferred: Counter<'reason'>;
}

/**
 * One log line and one count for each attempt. Addresses are for the operator, who reads these;
 * customers read the delivery log.
 */
export function createAttemptObserver(
  log: Log,
  metrics: Registry,
): { onAttempt(report: AttemptReport): void; countDeferred(reason: DeferReason): void } {
  const { attempts, stopped, durations, deferred } = createAttemptMetrics(metrics);
  return {
    onAttempt({ message, judgement, outcome, progress, recorded }) {
      const { attemptClass, httpStatus, remoteAddress } = judgement;
      attempts.inc({ class: attemptClass });
      durations.observe({ class: attemptClass }, outcome.durationMs / 1000);
      log.info('callback attempt', {
        event: message.event,
        sequence: message.sequence,
        attempt: message.attempt,
        class: attemptClass,
        status: httpStatus,
        ms: outcome.durationMs,
        remoteAddress,
        ...(outcome.kind === 'failed' &&
          outcome.blockedAddress !== undefined && { blockedAddress: outcome.blockedAddress }),
      });
      if (recorded === 'lost') {
        log.warn(
          'callback attempt not recorded: the task was deleted, or the claim lost to another dispatcher',
          { sequence: message.sequence },
        );
        return;
      }
      if (progress.kind !== 'stop') return;
      stopped.inc({ reason: progress.reason });
      log.warn('callback stopped', { reason: progress.reason, detail: judgement.detail });
    },
    countDeferred(reason) {
      deferred.inc({ reason });
    },
  };
}

function createAttemptMetrics(metrics: Registry): AttemptMetrics {
  const registers = [metrics];
  const attempts = new Counter({
    name: 'gateway_callback_attempts_total',
    help: 'Challenges and pushes sent, by how the attempt ended.',
    labelNames: ['class'],
    registers,
  });
  const stopped = new Counter({
    name: 'gateway_callbacks_stopped_total',
    help: 'Tasks whose pushing stopped for good.',
    labelNames: ['reason'],
    registers,
  });
  // Present from the start: `increase` must see the first failure of a class as a step up, not as a
  // new series.
  for (const attemptClass of attemptClasses) attempts.inc({ class: attemptClass }, 0);
  for (const reason of stopReasons) stopped.inc({ reason }, 0);
  return {
    attempts,
    stopped,
    durations: new Histogram({
      name: 'gateway_callback_attempt_duration_seconds',
      help: 'Time of one attempt, from name resolution to the end of the response.',
      labelNames: ['class'],
      buckets: attemptBuckets,
      registers,
    }),
    deferred: new Counter({
      name: 'gateway_callbacks_deferred_total',
      help: 'Pushes put off because of the limits on their receiver; this costs no attempt.',
      labelNames: ['reason'],
      registers,
    }),
  };
}
