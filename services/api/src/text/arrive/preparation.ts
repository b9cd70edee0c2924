import { Worker } from 'node:worker_threads';
import { GatewayError, type ErrorCode, type ErrorDetail } from '@gateway/domain';
import type { Part } from '@gateway/runtime';
import { largestInlineBytes } from './receive-body.ts';
import type {
  CountCommand,
  InspectCommand,
  Inspection,
  RenderCommand,
  Rendered,
  RequestBody,
} from './request-body.ts';

export interface ThreadRequest {
  readonly id: number;
  /** Names the body, so that the thread parses it once for all that is asked of it. */
  readonly bodyId: number;
  readonly bytes: Uint8Array;
  readonly command: InspectCommand | RenderCommand | CountCommand;
}

/** The body is not asked about any more. */
export interface ThreadRelease {
  readonly release: number;
}

export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number;
      readonly refusal: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly param: string | null;
        readonly details: readonly ErrorDetail[];
      };
    }
  | { readonly id: number; readonly failure: string };

/** What the thread makes of a render: bytes that did not change stay where they are. */
export type ThreadRendered = Omit<Rendered, 'body'> & { readonly body: Uint8Array | null };

/**
 * Reads and translates bodies; large ones in a thread of their own, so that no running stream waits
 * for them.
 */
export interface Preparation {
  inspect(body: RequestBody, command: InspectCommand): Inspection | Promise<Inspection>;
  render(body: RequestBody, command: RenderCommand): Rendered | Promise<Rendered>;
  count(body: RequestBody): number | Promise<number>;
  /** Nothing more will be asked of this body. */
  release(body: RequestBody): void;
  readonly part: Part;
}

/**
 * A worker thread cannot load TypeScript on Node 20: from the sources, as tests read them,
 * everything stays in the main thread.
 */
const threadEntry = import.meta.url.endsWith('.ts')
  ? undefined
  : new URL('./preparation-thread.js', import.meta.url);

export function createPreparation(): Preparation {
  const thread = threadEntry === undefined ? undefined : createThread(threadEntry);
  const isLarge = ({ bytes }: RequestBody): boolean => bytes.length > largestInlineBytes;
  return {
    inspect: (body, command) =>
      thread !== undefined && isLarge(body)
        ? thread.run<Inspection>(body, command)
        : body.inspect(command),
    render(body, command) {
      if (thread === undefined || !isLarge(body)) return body.render(command);
      return thread.run<ThreadRendered>(body, command).then(({ body: bytes, ...rest }) => ({
        ...rest,
        body:
          bytes === null
            ? body.bytes
            : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      }));
    },
    count: (body) =>
      thread !== undefined && isLarge(body)
        ? thread.run<number>(body, { kind: 'count' })
        : body.count(),
    release(body) {
      if (isLarge(body)) thread?.release(body);
    },
    part: { name: 'preparation thread', stop: () => thread?.stop() ?? Promise.resolve() },
  };
}

interface Thread {
  run<Value>(body: RequestBody, command: ThreadRequest['command']): Promise<Value>;
  release(body: RequestBody): void;
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** One thread, started when it is first needed; one that dies takes only what it was working on. */
function createThread(entry: URL): Thread {
  const waiting = new Map<number, Waiting>();
  const bodyIds = new WeakMap<RequestBody, number>();
  let worker: Worker | undefined;
  let lastId = 0;
  const bodyIdOf = (body: RequestBody): number => {
    const known = bodyIds.get(body) ?? (lastId += 1);
    bodyIds.set(body, known);
    return known;
  };
  return {
    run: (body, command) =>
      new Promise((resolve, reject) => {
        worker ??= startWorker(entry, {
          waiting,
          ended: (which) => {
            if (worker === which) worker = undefined;
          },
        });
        const id = (lastId += 1);
        waiting.set(id, { resolve, reject });
        const request: ThreadRequest = {
          id,
          bodyId: bodyIdOf(body),
          bytes: body.bytes,
          command,
        };
        worker.postMessage(request);
      }),
    release(body) {
      const id = bodyIds.get(body);
      if (id !== undefined) worker?.postMessage({ release: id } satisfies ThreadRelease);
    },
    async stop() {
      await worker?.terminate();
    },
  };
}

function startWorker(
  entry: URL,
  { waiting, ended }: { waiting: Map<number, Waiting>; ended: (worker: Worker) => void },
): Worker {
  const worker = new Worker(entry);
  worker.unref();
  worker.on('message', (reply: ThreadReply) => {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('value' in reply) waiter?.resolve(reply.value as never);
    else {
      waiter?.reject(
        'refusal' in reply
          ? new GatewayError(reply.refusal.code, reply.refusal.message, reply.refusal)
          : new Error(reply.failure),
      );
    }
  });
  const end = (reason: unknown): void => {
    ended(worker);
    for (const { reject } of waiting.values()) {
      reject(new Error('the thread for large bodies ended', { cause: reason }));
    }
    waiting.clear();
  };
  worker.on('error', end);
  worker.on('exit', end);
  return worker;
}
