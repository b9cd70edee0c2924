import { Worker } from 'node:worker_threads';
import type { Renderer } from './renderer.ts';
import type { RenderedVideo, VideoSpec } from './video-spec.ts';
import type { FromWorker } from './worker-messages.ts';

export interface WorkerPoolOptions {
  /** At most so many renders at once; threads are started when they are first needed. */
  readonly threads: number;
  readonly entry: URL;
  readonly execArgv?: readonly string[];
}

interface Job {
  readonly spec: VideoSpec;
  readonly resolve: (video: RenderedVideo) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  job: Job | undefined;
}

/**
 * Renders in worker threads. A thread that dies takes only its own render with it; the next render
 * starts a new one.
 */
export function createWorkerPool(options: WorkerPoolOptions): Renderer {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];

  const pump = (): void => {
    const next = waiting[0];
    if (next === undefined) return;
    const idle =
      [...threads].find(({ job }) => job === undefined) ??
      (threads.size < options.threads ? open() : undefined);
    if (idle === undefined) return;
    waiting.shift();
    idle.job = next;
    idle.worker.ref();
    idle.worker.postMessage(next.spec);
    pump();
  };

  const open = (): Thread => {
    const thread = startThread(options, {
      settled: () => {
        thread.job = undefined;
        thread.worker.unref(); // a thread that waits for work keeps no process alive
        pump();
      },
      ended: (reason) => {
        threads.delete(thread);
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
      const [any] = threads;
      await (any ?? open()).ready;
    },
    async stop() {
      for (const { reject } of waiting.splice(0)) reject(new Error('the renderer has stopped'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

interface ThreadEvents {
  /** The thread is free again. */
  readonly settled: () => void;
  readonly ended: (reason: string) => void;
}

function startThread(
  { entry, execArgv }: WorkerPoolOptions,
  { settled, ended }: ThreadEvents,
): Thread {
  const worker = new Worker(entry, execArgv === undefined ? {} : { execArgv: [...execArgv] });
  let becomeReady: (() => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    [becomeReady, fail] = [resolve, reject];
  });
  ready.catch(() => undefined); // the reason also reaches whoever renders; nobody may be checking
  const thread: Thread = { worker, ready, job: undefined };
  let reason = '';
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') {
      becomeReady?.();
      if (thread.job === undefined) worker.unref();
      return;
    }
    if (message.kind === 'rendered') thread.job?.resolve(message.video);
    else thread.job?.reject(new Error(message.reason));
    settled();
  });
  worker.on('error', (error) => {
    reason = String(error);
  });
  worker.on('exit', (code) => {
    const why = reason === '' ? `exit code ${code}` : reason;
    fail?.(new Error(`rendering is not available: ${why}`));
    ended(why);
  });
  return thread;
}
