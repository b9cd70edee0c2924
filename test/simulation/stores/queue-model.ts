import {
  createAjv,
  jobEnvelopeSchema,
  jobs,
  type JobEnvelope,
  type JobName,
} from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { Consumer, ConsumerOptions, Producer } from '@gateway/queue';
import { currentContext, type Log } from '@gateway/runtime';
import { processJob } from '../../../packages/queue/src/process-job.ts';
import { subjectOf } from '../../../packages/queue/src/subject.ts';
import type { QueueState, StoredJob } from './queue-state.ts';

/**
 * BullMQ and Redis behind the ports of `@gateway/queue`, in this process. What a job's outcome leads to
 * is decided by the package itself (`processJob`); only what the library keeps in Redis is a model.
 */
export interface QueueLink {
  /** One command, at Redis and back. Rejects when Redis is away, or the response was lost. */
  readonly send: <Result>(command: () => Result) => Promise<Result>;
  /** Whether jobs can be taken now. */
  readonly isUp: () => boolean;
  /** What the machine's clock says: delays are counted by it. */
  readonly now: () => number;
  /** The other side of a crash: whoever held jobs is gone. */
  readonly onEnd: (listener: () => void) => void;
}

export type ModelConsumerOptions = Pick<ConsumerOptions, 'job' | 'handle' | 'log' | 'recheck'> &
  Partial<Pick<ConsumerOptions, 'concurrency' | 'retryMs' | 'stopping' | 'isClockRight'>>;

/** As the package sets it: a crashed worker's job is noticed after its lock and one check. */
const lockMs = 15_000;
const stalledCheckMs = 8_000;
/** So is that a wrong clock was set right within this. */
const clockCheckMs = 250;

export function createModelProducer(
  state: QueueState,
  { link: { send, now }, log }: { readonly link: QueueLink; readonly log: Log },
): Producer {
  const promote = (job: JobName, beyondMs: number, ids?: readonly string[]): Promise<void> => {
    const dueAfter = now() + beyondMs;
    return send(() => {
      state.promote(jobs[job].queue, { dueAfter, ...(ids !== undefined && { ids }) });
    });
  };
  const add = (
    job: JobName,
    id: string,
    { requestId, delayMs = 0 }: { requestId?: string | undefined; delayMs?: number | undefined },
  ): void => {
    state.add({
      queue: jobs[job].queue,
      id,
      name: job,
      data: envelopeOf(id, requestId),
      // One without a delay waits at once, whatever its machine's clock says.
      dueAt: delayMs === 0 ? 0 : now() + delayMs,
    });
  };
  return {
    async wake(job, id, { requestId, delayMs, hurry = false } = {}) {
      // Of the request under way, also when the command arrives later.
      const given = requestId ?? currentContext()?.requestId;
      try {
        await send(() => {
          add(job, id, { requestId: given, delayMs });
        });
        if (hurry) await promote(job, 0, [id]);
      } catch (error) {
        log.warn('wake-up not queued, left to the reconciler', {
          job,
          ...subjectOf(job, id),
          reason: describeError(error),
        });
      }
    },
    wakeAll(job, ids) {
      const requestId = currentContext()?.requestId;
      return send(() => {
        for (const id of ids) add(job, id, { requestId });
      });
    },
    bringForward: (job, ids, { beyondMs }) => promote(job, beyondMs, ids),
    bringAllForward: (job, { beyondMs }) => promote(job, beyondMs),
    check: () => send(() => undefined),
    part: { name: 'queue producer', stop: () => Promise.resolve() },
  };
}

const envelopeOf = (id: string, requestId: string | undefined): JobEnvelope => ({
  version: 2,
  payload: { id },
  trace: { requestId: requestId ?? 'none' },
});

export function createModelConsumer(
  state: QueueState,
  { link, ...options }: ModelConsumerOptions & { readonly link: QueueLink },
): Consumer {
  const { job: name, log, isClockRight = () => true } = options;
  const { stopping = { graceMs: 8_000, closeDeadlineMs: 12_000 } } = options;
  const { queue } = jobs[name];
  let { concurrency = jobs[name].concurrency } = options;
  const ending = new AbortController();
  const active = new Map<StoredJob, Promise<void>>();
  let [taken, isRunning] = [0, false];
  const work = createWork(state, { link, options, signal: ending.signal });
  let clockCheck: NodeJS.Timeout | undefined;
  const mayTake = (): boolean => {
    if (!isRunning || !link.isUp()) return false;
    if (isClockRight()) return true;
    // Jobs may wait already when the clock is read for the first time, or set right.
    clockCheck ??= setTimeout(() => {
      clockCheck = undefined;
      fill();
    }, clockCheckMs).unref();
    return false;
  };
  const fill = (): void => {
    while (mayTake() && active.size < concurrency) {
      const job = state.take(queue);
      if (job === undefined) return;
      taken += 1;
      // It is known to be active before anything of it can crash.
      const started = Promise.resolve().then(() => work(job));
      const done = started.finally(() => {
        if (active.get(job) === done) active.delete(job);
        fill();
      });
      active.set(job, done);
    }
  };
  const forget = state.onWaiting(() => {
    // Whoever waits longest is told first, and others may have taken it by then.
    queueMicrotask(fill);
  });
  link.onEnd(() => {
    isRunning = false;
    forget();
    for (const job of active.keys()) loseLock(state, job);
  });
  return {
    activity: () => ({ queue, taken, active: active.size, concurrency, isHeld: false }),
    setConcurrency(most) {
      concurrency = most;
    },
    check: () => link.send(() => undefined),
    part: {
      name: `${queue} worker`,
      start() {
        isRunning = true;
        fill();
        return Promise.resolve();
      },
      async stop() {
        isRunning = false;
        forget();
        const abort = setTimeout(() => {
          ending.abort();
        }, stopping.graceMs);
        await Promise.race([Promise.allSettled(active.values()), after(stopping.closeDeadlineMs)]);
        clearTimeout(abort);
        for (const job of active.keys()) loseLock(state, job);
        log.debug('queue worker stopped', { queue });
      },
    },
  };
}

/** Nobody renews it any more. */
function loseLock(state: QueueState, job: StoredJob, token = job.token): void {
  setTimeout(() => {
    if (job.token === token) state.stall(job);
  }, lockMs + stalledCheckMs).unref();
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

type EnvelopeCheck = (envelope: unknown) => envelope is JobEnvelope;
const envelopeChecks = new Map<JobName, EnvelopeCheck>();

/** Compiled once: every life of a replica would take milliseconds for it. */
function envelopeCheckOf(job: JobName): EnvelopeCheck {
  const check: EnvelopeCheck =
    envelopeChecks.get(job) ?? createAjv().compile<JobEnvelope>(jobEnvelopeSchema(job));
  envelopeChecks.set(job, check);
  return check;
}

/** One job from its taking to its end, with what the package does about its outcome. */
function createWork(
  state: QueueState,
  {
    link,
    options,
    signal,
  }: {
    readonly link: QueueLink;
    readonly options: ModelConsumerOptions;
    readonly signal: AbortSignal;
  },
): (job: StoredJob) => Promise<void> {
  const { log, recheck, job: jobName } = options;
  const isEnvelope = envelopeCheckOf(jobName);
  return async (job) => {
    const { id, queue, data, token } = job;
    // Its lock runs out, unless Redis says that somebody else has the job.
    const giveUp = (error: unknown): void => {
      log.warn('queue worker failed', { queue, reason: describeError(error) });
      loseLock(state, job, token);
    };
    const received = {
      id,
      data,
      queueName: queue,
      moveToDelayed: (until: number) => {
        // The library reads the clock when it is called, not when Redis gets the command.
        const untilByItsClock = until + link.now() - Date.now();
        return link.send(() => {
          state.putOff(job, token, untilByItsClock);
        });
      },
      moveToWait: () =>
        link.send(() => {
          state.handBack(job, token);
        }),
    } as unknown as Parameters<typeof processJob>[0];
    try {
      await processJob(received, { token, options, isEnvelope, signal });
    } catch (error) {
      // Delayed or handed back is no failure; neither is a job that somebody else has by now.
      if (isMoved(error)) return;
      giveUp(error);
      return;
    }
    try {
      await link.send(() => {
        state.finish(job, token);
      });
    } catch (error) {
      giveUp(error);
      return;
    }
    await recheck?.(id).catch((error: unknown) => {
      log.warn('could not recheck after a job, left to the reconciler', {
        ...subjectOf(jobName, id),
        reason: describeError(error),
      });
    });
  };
}

const isMoved = (error: unknown): boolean =>
  error instanceof Error && ['DelayedError', 'WaitingError'].includes(error.name);
