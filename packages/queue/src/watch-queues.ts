import { describeError } from '@gateway/domain';
import { Counter, Gauge, intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import { closeConnection, connectFailingFast, type RedisAddress } from './connection.ts';
import type { Consumer } from './consumer.ts';
import { readMaxmemoryPolicy, readQueueState, type QueueState } from './queue-states.ts';
import { idleMs, sampleEveryMs, watchWorker, type IdleWatch } from './watchdog.ts';

export interface WatchQueuesOptions extends RedisAddress {
  readonly prefix: string;
  readonly consumers: readonly Pick<Consumer, 'activity'>[];
  /**
   * A worker that took no job for this long although jobs waited and it had capacity has stalled;
   * 0: never.
   */
  readonly stalledAfterMs: number;
  readonly metrics: Registry;
  readonly log: Log;
  /** Milliseconds of a clock that never jumps; default the process's monotonic clock. */
  readonly now?: () => number;
}

export interface QueueWatch {
  /** Why the process should be restarted; for createHealth. */
  stalled(): string | undefined;
  readonly part: Part;
}

/** Any running worker moves an overdue job within moments: before this, nothing is certain. */
const overdueForMs = 5_000;

/**
 * Samples the queues of this process's workers, for /metrics and for the watchdog: a worker whose
 * own connection is stuck, or whose loop has ended, takes nothing and throws nothing, and only a
 * restart helps. Has a connection of its own, so that it can tell that from a Redis that is away.
 */
export function watchQueues({
  prefix,
  consumers,
  stalledAfterMs,
  metrics,
  log,
  now = () => performance.now(),
  ...address
}: WatchQueuesOptions): QueueWatch {
  const redis = connectFailingFast(address, log);
  const everyMs = sampleEveryMs(stalledAfterMs === 0 ? Infinity : stalledAfterMs);
  const watchdogs = consumers.map((consumer) =>
    createWatchdog(consumer, { everyMs, stalledAfterMs, now, log }),
  );
  const gauges = createGauges(metrics, consumers);
  const sample = async (): Promise<void> => {
    try {
      const states = await Promise.all(
        consumers.map((consumer) =>
          readQueueState(redis, { prefix, queue: consumer.activity().queue, now: Date.now() }),
        ),
      );
      gauges.show(states, await readMaxmemoryPolicy(redis));
      watchdogs.forEach((watchdog, at) => {
        watchdog.check(states[at]);
      });
    } catch (error) {
      gauges.forget();
      for (const watchdog of watchdogs) watchdog.check(undefined);
      log.warn('queues could not be sampled', { reason: describeError(error) });
    }
  };
  const sampling = intervalPart({ name: 'sample the queues', everyMs, work: sample, log });
  return {
    stalled: () =>
      watchdogs.map((watchdog) => watchdog.stalled()).find((reason) => reason !== undefined),
    part: {
      name: 'queue watch',
      start: () => sampling.start?.() ?? Promise.resolve(),
      async stop() {
        await sampling.stop();
        await closeConnection(redis);
      },
    },
  };
}

interface WatchdogOptions {
  readonly everyMs: number;
  readonly stalledAfterMs: number;
  readonly now: () => number;
  readonly log: Log;
}

/** Watches one worker. Logs once that it has stalled, and again when it stalls after taking work. */
function createWatchdog(
  { activity }: Pick<Consumer, 'activity'>,
  { everyMs, stalledAfterMs, now, log }: WatchdogOptions,
): { check(state: QueueState | undefined): void; stalled(): string | undefined } {
  let watch: IdleWatch | undefined;
  let reason: string | undefined;
  return {
    check(state) {
      const { queue, taken, active, concurrency, isHeld } = activity();
      watch = watchWorker(
        watch,
        {
          atMs: now(),
          taken,
          couldTake:
            state === undefined ? undefined : !isHeld && hasWork(state) && active < concurrency,
        },
        everyMs,
      );
      const forMs = idleMs(watch);
      const isStalled = stalledAfterMs > 0 && forMs >= stalledAfterMs;
      if (isStalled && reason === undefined) {
        log.error('worker takes no jobs although jobs are waiting: restart it', {
          queue,
          forMs: Math.round(forMs),
          waiting: state?.waiting,
          overdue: state?.overdue,
          active,
        });
      }
      reason = isStalled
        ? `the worker of the queue ${queue} has taken no job for ${Math.round(forMs / 1000)} s although jobs wait and it has capacity`
        : undefined;
    },
    stalled: () => reason,
  };
}

const hasWork = ({ isPaused, waiting, overdue, oldestOverdueMs }: QueueState): boolean =>
  !isPaused && (waiting > 0 || (overdue > 0 && oldestOverdueMs >= overdueForMs));

function createGauges(
  metrics: Registry,
  consumers: readonly Pick<Consumer, 'activity'>[],
): { show(states: readonly QueueState[], policy: string): void; forget(): void } {
  const registers = [metrics];
  const jobs = new Gauge({
    name: 'gateway_queue_jobs',
    help: 'Jobs in a queue; every replica reports the same figure. `overdue` is a part of `delayed`.',
    labelNames: ['queue', 'state'],
    registers,
  });
  const overdue = new Gauge({
    name: 'gateway_queue_oldest_overdue_seconds',
    help: 'How long the oldest overdue job has been overdue.',
    labelNames: ['queue'],
    registers,
  });
  const policy = new Gauge({
    name: 'gateway_redis_noeviction',
    help: '1 when Redis keeps every key; 0 when it may evict jobs.',
    registers,
  });
  const taken = new Counter({
    name: 'gateway_jobs_taken_total',
    help: 'Jobs that this replica took from a queue.',
    labelNames: ['queue'],
    registers,
    collect() {
      taken.reset();
      for (const { activity } of consumers) {
        taken.inc({ queue: activity().queue }, activity().taken);
      }
    },
  });
  return {
    show(states, given) {
      for (const { queue, oldestOverdueMs, ...state } of states) {
        for (const name of ['waiting', 'active', 'delayed', 'overdue'] as const) {
          jobs.set({ queue, state: name }, state[name]);
        }
        overdue.set({ queue }, oldestOverdueMs / 1000);
      }
      if (given === '') policy.reset();
      else policy.set(given === 'noeviction' ? 1 : 0);
    },
    forget() {
      for (const gauge of [jobs, overdue, policy]) gauge.reset();
    },
  };
}
