import { Worker } from 'node:worker_threads';
import { GatewayError, type ErrorCode, type ErrorDetail } from '@gateway/domain';
import { freeMemory, isHandedOver } from './memory.ts';
import { forgetSlab, takeSlabIn } from './slabs.ts';
import { createTurns, type Turns } from './turns.ts';
import type { Work } from './work.ts';

export interface ThreadJob {
  readonly bytes: Uint8Array;
  /** They are wanted back. */
  readonly isLent: boolean;
  readonly work: Work;
}

export interface ThreadReply {
  readonly outcome:
    | { readonly value: unknown }
    | {
        readonly refusal: {
          readonly code: ErrorCode;
          readonly message: string;
          readonly param: string | null;
          readonly details: readonly ErrorDetail[];
        };
      }
    | { readonly failure: string };
  /** The bytes that were handed over. */
  readonly bytes: Uint8Array | undefined;
  /** That its thread has taken by now, in use or not. */
  readonly heapBytes: number;
}

export interface ThreadPoolOptions {
  readonly entry: URL;
  readonly threads: number;
  readonly heapMegabytes: number;
  /** How long a thread stays with nothing to do. Default: 30 s. */
  readonly idleMs?: number;
}

/** The outcome of a job, and its bytes where the caller can read them again. */
export interface Worked {
  readonly value: unknown;
  readonly bytes: Buffer;
}

export interface ThreadPool {
  /**
   * Does the work when it is the account's turn. Large memory is handed over and comes back with
   * the outcome, or is freed; other bytes are copied. Rejects with the GatewayError of the work, or
   * payload_too_large when it needed more memory than a thread has.
   */
  run(accountId: string, bytes: Buffer, work: Work): Promise<Worked>;
  /** Jobs that wait for a thread. */
  readonly waiting: number;
  /** Threads that there are at the moment. */
  readonly threads: number;
  stop(): Promise<void>;
}

interface Job {
  readonly accountId: string;
  readonly isHeavy: boolean;
  readonly bytes: Buffer;
  readonly work: Work;
  readonly resolve: (worked: Worked) => void;
  readonly reject: (error: Error) => void;
}

/** Reading it takes so long, or so much memory, that not all threads may do it at once. */
const heavyBytes = 8_388_608;
/** A thread takes 20 to 30 MB, and 100 to 300 ms to start: it ends when it has had nothing to do for so long. */
const idleMs = 30_000;
/** One whose heap has grown beyond this ends sooner. */
const keptHeapBytes = 41_943_040;
const grownIdleMs = 5_000;

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  idle: NodeJS.Timeout | undefined;
  isEnding: boolean;
  /** Why it ends, where it was not told to. */
  error: NodeJS.ErrnoException | undefined;
}

/**
 * Threads for large bodies, started when there is work for them. Accounts take turns, and no account has
 * all of the threads; nor do heavy bodies, whosever they are.
 */
export const createThreadPool = (options: ThreadPoolOptions): ThreadPool => new Pool(options);

class Pool implements ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #turns: Turns<Job>;
  #isStopped = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#turns = createTurns(Math.max(1, options.threads - 1));
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  get threads(): number {
    return this.#threads.size;
  }

  run(accountId: string, bytes: Buffer, work: Work): Promise<Worked> {
    return new Promise((resolve, reject) => {
      const isHeavy = bytes.length > heavyBytes;
      this.#turns.add({ accountId, isHeavy, bytes, work, resolve, reject });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Gives work to every thread that has none, as long as anybody may have a turn. */
  #next(): void {
    while (!this.#isStopped) {
      const idle = [...this.#threads].find(({ job, isEnding }) => job === undefined && !isEnding);
      if (idle === undefined && this.#threads.size >= this.#options.threads) return;
      const job = this.#turns.take();
      if (job === undefined) return;
      const thread = idle ?? this.#startThread();
      clearTimeout(thread.idle);
      thread.job = job;
      send(thread.worker, job);
    }
  }

  #startThread(): Thread {
    const { entry, heapMegabytes } = this.#options;
    const worker = new Worker(entry, {
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    const thread: Thread = {
      worker,
      job: undefined,
      idle: undefined,
      isEnding: false,
      error: undefined,
    };
    this.#threads.add(thread);
    worker.on('message', (reply: ThreadReply) => {
      this.#finish(thread, reply);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      thread.error = error;
    });
    worker.on('exit', () => {
      this.#lose(thread);
    });
    return thread;
  }

  #finish(thread: Thread, { outcome, bytes, heapBytes }: ThreadReply): void {
    const job = this.#over(thread);
    const endInMs = heapBytes > keptHeapBytes ? grownIdleMs : (this.#options.idleMs ?? idleMs);
    thread.idle = setTimeout(() => {
      thread.isEnding = true;
      void thread.worker.terminate();
    }, endInMs).unref();
    if (job !== undefined) settle(job, outcome, bytes);
    this.#next();
  }

  #lose(thread: Thread): void {
    clearTimeout(thread.idle);
    this.#threads.delete(thread);
    this.#over(thread)?.reject(lossOf(thread.error));
    this.#next();
  }

  #over(thread: Thread): Job | undefined {
    const { job } = thread;
    thread.job = undefined;
    if (job !== undefined) this.#turns.done(job);
    return job;
  }
}

function send(worker: Worker, { bytes, work }: Job): void {
  const isLent = isHandedOver(bytes);
  const job: ThreadJob = { bytes: isLent ? bytes : new Uint8Array(bytes), isLent, work };
  forgetSlab(bytes.buffer);
  worker.postMessage(job, [job.bytes.buffer as ArrayBuffer]);
}

function settle(
  { bytes: given, resolve, reject }: Job,
  outcome: ThreadReply['outcome'],
  back: Uint8Array | undefined,
): void {
  const bytes =
    back === undefined ? given : Buffer.from(back.buffer, back.byteOffset, back.byteLength);
  if (back !== undefined && !isHandedOver(back)) takeSlabIn(back.buffer as ArrayBuffer);
  if ('value' in outcome) {
    resolve({ value: outcome.value, bytes });
    return;
  }
  freeMemory(bytes);
  reject(
    'refusal' in outcome
      ? new GatewayError(outcome.refusal.code, outcome.refusal.message, outcome.refusal)
      : new Error(outcome.failure),
  );
}

/** https://nodejs.org/api/errors.html#err_worker_out_of_memory */
const lossOf = (error: NodeJS.ErrnoException | undefined): Error =>
  error?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new GatewayError(
        'payload_too_large',
        'reading the body takes more memory than one body may have; send fewer values, or smaller ones',
        { cause: error },
      )
    : new Error('the thread that read the body ended', { cause: error });
