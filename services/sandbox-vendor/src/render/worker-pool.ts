import { Worker } from 'node:worker_threads';
import type { Renderer } from './renderer.ts';
import type { RenderedVideo, VideoSpec } from './video-spec.ts';
import type { FromWorker } from './worker-messages.ts';

export interface WorkerPoolOptions {
  /** At most so many renders at once; threads are started when they are first needed. */
  readonly threads: number;
  readonly entry: URL;
  readonly execArgv?: readonly string[];
  /** How long a thread stays with nothing to render. Default: 20 s. */
  readonly idleMs?: number;
}

/** A thread takes 40 MB, and a fifth of a second to start. */
const defaultIdleMs = 20_000;

interface Job {
  readonly spec: VideoSpec;
  readonly resolve: (video: RenderedVideo) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  job: Job | undefined;
  idle: NodeJS.Timeout | undefined;
  isEnding: boolean;
}

/**
 * Renders in worker threads. A thread that dies takes only its own render with it; the next render
 * starts a new one. One that has nothing to do ends.
 */
export function createWorkerPool(options: WorkerPoolOptions): Renderer {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  /** The last thread that started could render. */
  let canRender = false;

  const pump = (): void => {
    const next = waiting[0];
    if (next === undefined) return;
    const idle =
      [...threads].find(({ job, isEnding }) => job === undefined && !isEnding) ??
      (threads.size < options.threads ? open() : undefined);
    if (idle === undefined) return;
    waiting.shift();
    clearTimeout(idle.idle);
    idle.job = next;
    idle.worker.ref();
    idle.worker.postMessage(next.spec);
    pump();
  };

  const open = (): Thread => {
    const thread = startThread(options, {
      ready: () => {
        canRender = true;
        if (thread.job === undefined) rest(thread, options);
      },
      settled: () => {
        thread.job = undefined;
        rest(thread, options);
        pump();
      },
      ended: (reason) => {
        threads.delete(thread);
        clearTimeout(thread.idle);
        if (!thread.isEnding) canRender = false;
        thread.job?.reject(new Error(`the render thread ended: ${reason}`));
        pump();
      },
    });
    threads.add(thread);
    return thread;
  };

  return {
    render: (spec) =>
      new Promise((resolve, reject) => {
        waiting.push({ spec, resolve, reject });
        pump();
      }),
    async check() {
      if (canRender) return;
      const [any] = threads;
      await (any ?? open()).ready;
    },
    stop: () => stopAll(threads, waiting),
  };
}

async function stopAll(threads: ReadonlySet<Thread>, waiting: Job[]): Promise<void> {
  for (const { reject } of waiting.splice(0)) reject(new Error('the renderer has stopped'));
  await Promise.all([...threads].map(({ worker }) => worker.terminate()));
}

/** A thread that waits for work keeps no process alive, and ends when none comes. */
function rest(thread: Thread, { idleMs = defaultIdleMs }: WorkerPoolOptions): void {
  thread.worker.unref();
  thread.idle = setTimeout(() => {
    thread.isEnding = true;
    void thread.worker.terminate();
  }, idleMs).unref();
}

interface ThreadEvents {
  readonly ready: () => void;
  /** The thread is free again. */
  readonly settled: () => void;
  readonly ended: (reason: string) => void;
}

function startThread({ entry, execArgv }: WorkerPoolOptions, events: ThreadEvents): Thread {
  const worker = new Worker(entry, execArgv === undefined ? {} : { execArgv: [...execArgv] });
  let becomeReady: (() => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    [becomeReady, fail] = [resolve, reject];
  });
  ready.catch(() => undefined); // the reason also reaches whoever renders; nobody may be checking
  const thread: Thread = { worker, ready, job: undefined, idle: undefined, isEnding: false };
  let reason = '';
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') {
      becomeReady?.();
      events.ready();
      return;
    }
    if (message.kind === 'rendered') thread.job?.resolve(message.video);
    else thread.job?.reject(new Error(message.reason));
    events.settled();
  });
  worker.on('error', (error) => {
    reason = String(error);
  });
  worker.on('exit', (code) => {
    const why = reason === '' ? `exit code ${code}` : reason;
    fail?.(new Error(`rendering is not available: ${why}`));
    events.ended(why);
  });
  return thread;
}
