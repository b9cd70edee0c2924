import { describeError } from '@gateway/domain';
import {
  Counter,
  Gauge,
  idleMs,
  intervalPart,
  keepVigil,
  watchEveryMs,
  type Log,
  type Part,
  type Registry,
  type Vigil,
} from '@gateway/runtime';
import { closeConnection, connectFailingFast } from './connection.ts';
import type { Consumer } from './consumer.ts';
import { readMaxmemoryPolicy, readQueueState, type QueueState } from './queue-states.ts';

export interface WatchQueuesOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly consumers: readonly Pick<Consumer, 'activity'>[];
  /**
   * A worker that took no job for so long although jobs waited and it had room has stalled; 0:
   * never.
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

/**
 * An overdue job is moved within moments where any worker runs: before this nothing can be told.
 */
const overdueForMs = 5_000;

/**
 * Looks at the queues of this process's workers, for /metrics and for the watchdog: a worker whose
 * own connection is stuck, or whose loop has ended, takes nothing and throws nothing, and only a
 * restart helps. Looks through a connection of its own, so that it can tell that from a Redis that
 * is away.
 */
export function watchQueues({
  redisUrl,
  prefix,
  consumers,
  stalledAfterMs,
  metrics,
  log,
  now = () => performance.now(),
}: WatchQueuesOptions): QueueWatch {
  const redis = connectFailingFast(redisUrl, log);
  const everyMs = watchEveryMs(stalledAfterMs === 0 ? Infinity : stalledAfterMs);
  const dogs = consumers.map((consumer) =>
    createDog(consumer, { everyMs, stalledAfterMs, now, log }),
  );
  const gauges = createGauges(metrics, consumers);
  const look = async (): Promise<void> => {
    try {
      const states = await Promise.all(
        consumers.map((consumer) =>
          readQueueState(redis, { prefix, queue: consumer.activity().queue, now: Date.now() }),
        ),
      );
      gauges.show(states, await readMaxmemoryPolicy(redis));
      dogs.forEach((dog, at) => {
        dog.look(states[at]);
      });
    } catch (error) {
      gauges.forget();
      for (const dog of dogs) dog.look(undefined);
      log.warn('queues not looked at', { reason: describeError(error) });
    }
  };
  const polling = intervalPart({ name: 'look at the queues', everyMs, work: look, log });
  return {
    stalled: () => dogs.map((dog) => dog.stalled()).find((reason) => reason !== undefined),
    part: {
      name: 'queue watch',
      start: () => polling.start?.() ?? Promise.resolve(),
      async stop() {
        await polling.stop();
        await closeConnection(redis);
      },
    },
  };
}

interface DogOptions {
  readonly everyMs: number;
  readonly stalledAfterMs: number;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Watches over one worker. Says once that it has stalled, and once more when it stalls again after
 * it had taken work.
 */
function createDog(
  { activity }: Pick<Consumer, 'activity'>,
  { everyMs, stalledAfterMs, now, log }: DogOptions,
): { look(state: QueueState | undefined): void; stalled(): string | undefined } {
  let vigil: Vigil | undefined;
  let reason: string | undefined;
  return {
    look(state) {
      const { queue, taken, active, concurrency } = activity();
      vigil = keepVigil(
        vigil,
        {
          atMs: now(),
          taken,
          couldTake: state === undefined ? undefined : hasWork(state) && active < concurrency,
        },
        everyMs,
      );
      const forMs = idleMs(vigil);
      const isStalled = stalledAfterMs > 0 && forMs >= stalledAfterMs;
      if (isStalled && reason === undefined) {
        log.error('worker takes no jobs although jobs wait: it should be restarted', {
          queue,
          forMs: Math.round(forMs),
          waiting: state?.waiting,
          overdue: state?.overdue,
          active,
        });
      }
      reason = isStalled
        ? `the worker of the queue ${queue} has taken no job for ${Math.round(forMs / 1000)} s although jobs wait and it has room`
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
    help: 'Jobs in a queue; every replica tells the same figure. `overdue` is a part of `delayed`.',
    labelNames: ['queue', 'state'],
    registers,
  });
  const overdue = new Gauge({
    name: 'gateway_queue_oldest_overdue_seconds',
    help: 'For how long the first job has been overdue that no worker has moved.',
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
