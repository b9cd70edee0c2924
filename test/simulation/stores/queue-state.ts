import type { JobEnvelope } from '@gateway/contracts';

/** A job as Redis knows it. */
export interface StoredJob {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly data: JobEnvelope;
  state: 'waiting' | 'delayed' | 'active';
  dueAt: number;
  /** Of who works on it. */
  token: string | undefined;
}

export interface NewJob {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly data: JobEnvelope;
  readonly dueAt: number;
}

/** What is in Redis, each call one atomic command. It loses everything at once, or nothing. */
export interface QueueState {
  /** Changes nothing while a job of this id lives. */
  add(job: NewJob): void;
  take(queue: string): StoredJob | undefined;
  /** Throws unless the job is active under this token. */
  finish(job: StoredJob, token: string | undefined): void;
  putOff(job: StoredJob, token: string | undefined, untilMs: number): void;
  handBack(job: StoredJob, token: string | undefined): void;
  /** A lock that ran out: the job goes back to the queue, whoever still works on it. */
  stall(job: StoredJob): void;
  /** Delayed to later than `dueAfter`: due now. All of the queue without `ids`. */
  promote(queue: string, filter: { readonly ids?: readonly string[]; dueAfter: number }): void;
  live(queue: string): readonly StoredJob[];
  flush(): void;
  onWaiting(listener: () => void): () => void;
  /** Redis is back: whoever has room may take what waits. */
  announce(): void;
}

export function createQueueState(): QueueState {
  const jobs = new Map<string, StoredJob>();
  const lines = new Map<string, StoredJob[]>();
  const listeners = new Set<() => void>();
  let tokens = 0;
  const keyOf = ({ queue, id }: Pick<StoredJob, 'queue' | 'id'>): string => `${queue}:${id}`;
  const lineOf = (queue: string): StoredJob[] => {
    const line = lines.get(queue) ?? [];
    lines.set(queue, line);
    return line;
  };
  const isStored = (job: StoredJob): boolean => jobs.get(keyOf(job)) === job;
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const wait = (job: StoredJob): void => {
    Object.assign(job, { state: 'waiting', token: undefined });
    lineOf(job.queue).push(job);
    announce();
  };
  const delay = (job: StoredJob, untilMs: number): void => {
    Object.assign(job, { state: 'delayed', token: undefined, dueAt: untilMs });
    if (untilMs <= Date.now()) {
      wait(job);
      return;
    }
    // Longer than a timer can be, only after a wrong clock; the reconciler brings it forward.
    setTimeout(
      () => {
        if (isStored(job) && job.state === 'delayed' && job.dueAt === untilMs) wait(job);
      },
      Math.min(untilMs - Date.now(), 2 ** 31 - 1),
    ).unref();
  };
  const mustHold = (job: StoredJob, token: string | undefined): void => {
    if (!isStored(job)) throw new Error(`Missing key for job ${job.id}`);
    if (job.state !== 'active' || job.token !== token) {
      throw new Error(`Missing lock for job ${job.id}`);
    }
  };
  return {
    add({ dueAt, ...given }) {
      if (jobs.has(keyOf(given))) return;
      const job: StoredJob = { ...given, state: 'waiting', dueAt: 0, token: undefined };
      jobs.set(keyOf(job), job);
      delay(job, dueAt);
    },
    take(queue) {
      const job = lineOf(queue).shift();
      if (job === undefined) return undefined;
      tokens += 1;
      return Object.assign(job, { state: 'active', token: `token-${tokens}` } as const);
    },
    finish(job, token) {
      mustHold(job, token);
      jobs.delete(keyOf(job));
    },
    putOff(job, token, untilMs) {
      mustHold(job, token);
      delay(job, untilMs);
    },
    handBack(job, token) {
      mustHold(job, token);
      wait(job);
    },
    stall(job) {
      if (isStored(job) && job.state === 'active') wait(job);
    },
    promote(queue, { ids, dueAfter }) {
      for (const job of jobs.values()) {
        const isMeant = job.queue === queue && (ids === undefined || ids.includes(job.id));
        if (isMeant && job.state === 'delayed' && job.dueAt > dueAfter) wait(job);
      }
    },
    live: (queue) => [...jobs.values()].filter((job) => job.queue === queue),
    announce,
    flush() {
      jobs.clear();
      lines.clear();
    },
    onWaiting(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
