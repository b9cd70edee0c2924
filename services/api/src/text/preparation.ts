import { Worker } from 'node:worker_threads';
import { GatewayError, type ErrorCode, type ErrorDetail } from '@gateway/domain';
import type { Part } from '@gateway/runtime';
import type { RequestBody} from './prepare.ts';
import { type CountTask, type InspectTask, type Inspection, type RenderTask, type Rendered } from './prepare.ts';

/** Bodies up to this are parsed where they arrive: 256 KiB take about a millisecond, and a thread's round trip a third of that. */
const largestInlineBytes = 262_144;

export interface ThreadRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly task: InspectTask | RenderTask | CountTask;
}

export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly param: string | null; readonly details: readonly ErrorDetail[] } }
  | { readonly id: number; readonly failure: string };

/** Reads and translates bodies; large ones in a thread of their own, so that no running stream waits for them. */
export interface Preparation {
  inspect(body: RequestBody, task: InspectTask): Inspection | Promise<Inspection>;
  render(body: RequestBody, task: RenderTask): Rendered | Promise<Rendered>;
  count(body: RequestBody): number | Promise<number>;
  readonly part: Part;
}

/** A worker thread cannot load TypeScript on Node 20: from the sources, as tests read them, everything stays in the main thread. */
const threadEntry = import.meta.url.endsWith('.ts') ? undefined : new URL('./preparation-thread.js', import.meta.url);

export function createPreparation(): Preparation {
  const thread = threadEntry === undefined ? undefined : createThread(threadEntry);
  const isLarge = ({ bytes }: RequestBody): boolean => bytes.length > largestInlineBytes;
  return {
    inspect: (body, task) => (thread !== undefined && isLarge(body) ? thread.run<Inspection>(body, task) : body.inspect(task)),
    render(body, task) {
      if (thread === undefined || !isLarge(body)) return body.render(task);
      return thread.run<Rendered>(body, task).then(({ body: bytes, ...rest }) => ({ body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ...rest }));
    },
    count: (body) => (thread !== undefined && isLarge(body) ? thread.run<number>(body, { kind: 'count' }) : body.count()),
    part: { name: 'preparation thread', stop: () => thread?.stop() ?? Promise.resolve() },
  };
}

interface Thread {
  run<Value>(body: RequestBody, task: ThreadRequest['task']): Promise<Value>;
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** One thread, started when it is first needed; one that dies takes only what it was working on. */
function createThread(entry: URL): Thread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  const start = (): Worker => {
    const started = new Worker(entry);
    started.unref();
    started.on('message', (answer: ThreadAnswer) => {
      const job = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('value' in answer) job?.resolve(answer.value as never);
      else job?.reject('refusal' in answer ? new GatewayError(answer.refusal.code, answer.refusal.message, answer.refusal) : new Error(answer.failure));
    });
    const ended = (reason: unknown): void => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(new Error('the thread for large bodies ended', { cause: reason }));
      waiting.clear();
    };
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  };
  return {
    run: (body, task) => new Promise((resolve, reject) => {
      worker ??= start();
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      const request: ThreadRequest = { id: lastId, bytes: body.bytes, task };
      worker.postMessage(request);
    }),
    async stop() {
      await worker?.terminate();
    },
  };
}
