import type { ServerResponse } from 'node:http';
import type { Task, VideoResource } from '@gateway/contracts';
import { GatewayError, isTerminal, type TaskStatus } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import type { TaskEventRecord } from '@gateway/store';
import type { FollowTasks } from '../use-cases/follow-tasks.ts';

export interface EventStreamsOptions {
  readonly following: FollowTasks;
  readonly slots: Slots;
  /** Streams that one key may have open at once, over all replicas. */
  readonly mostPerKey: number;
  /** Silence that is filled with a comment. */
  readonly pingMs: number;
  /** The resource as it was, or is, with this status. */
  readonly resourceAt: (task: Task, status: TaskStatus) => VideoResource;
}

export interface OpenStream {
  readonly response: ServerResponse;
  readonly keyId: string;
  /** Rejects once the key of the stream is not good any more. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly task: Task;
  /** Every event of the task, oldest first. */
  readonly events: readonly TaskEventRecord[];
  /** The newest event that the client has seen; 0 for none. */
  readonly lastSequence: number;
  /** Added to the resource of an event that is the present one. */
  readonly present: Partial<VideoResource>;
}

export interface EventStreams {
  /**
   * Answers with a stream that ends after the terminal status. Throws rate_limit_exceeded when the
   * key has as many as it may have.
   */
  open(stream: OpenStream): Promise<void>;
  /**
   * Ends every stream, and from now on each new one once it is up to date: the client comes again
   * with what it has seen.
   */
  endAll(): void;
  readonly size: number;
}

interface Live {
  readonly response: ServerResponse;
  readonly stillAllowed: () => Promise<unknown>;
  sequence: number;
  quietSince: number;
  end(): void;
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: 'accept',
} as const;
const tickMs = 1_000;
const retryAfterMs = 5_000;

/**
 * All event streams of this process: one timer for their comments, one look at the database for
 * their news.
 */
export function createEventStreams({
  following,
  slots,
  mostPerKey,
  pingMs,
  resourceAt,
}: EventStreamsOptions): EventStreams {
  const open = new Set<Live>();
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;

  const begin = (
    { response, stillAllowed, lastSequence, task }: OpenStream,
    freed: () => void,
  ): Live => {
    const live: Live = {
      response,
      stillAllowed,
      sequence: lastSequence,
      quietSince: performance.now(),
      end: () => {
        response.end();
      },
    };
    const unfollow = following.follow({
      taskId: task.id,
      sequence: () => live.sequence,
      take: ({ task: present, events }) => {
        if (present === undefined) live.end();
        else send(live, present, { events, resourceAt });
      },
    });
    open.add(live);
    timer ??= setInterval(
      () => {
        for (const each of open) tend(each, pingMs);
      },
      Math.min(tickMs, pingMs),
    );
    response.once('close', () => {
      unfollow();
      open.delete(live);
      freed();
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    return live;
  };

  return {
    async open(stream) {
      const { response, keyId, task, events, lastSequence, present } = stream;
      if (isTerminal(task.status) && lastSequence >= task.eventSequence) {
        // The one status that keeps an EventSource from coming again.
        response.writeHead(204, { 'cache-control': 'no-store', vary: 'accept' }).end();
        return;
      }
      const slot = await slots.acquire(`events:${keyId}`, mostPerKey);
      if (slot === undefined) {
        throw new GatewayError(
          'rate_limit_exceeded',
          `this key may have ${mostPerKey} event streams open at once; close one, or read the task instead`,
          { retryAfterMs },
        );
      }
      if (response.destroyed) {
        slot.release();
        return;
      }
      const live = begin(stream, () => {
        slot.release();
      });
      response.writeHead(200, streamHeaders);
      response.write('retry: 1000\n\n');
      send(live, task, { events, present, resourceAt });
      if (isStopping) live.end();
    },
    endAll() {
      isStopping = true;
      for (const live of open) live.end();
    },
    get size() {
      return open.size;
    },
  };
}

/**
 * Ends a stream whose key is not good any more, fills its silence, and cuts off a client that takes
 * nothing.
 */
function tend(live: Live, pingMs: number): void {
  // That the key could not be looked up says nothing about it.
  live.stillAllowed().catch((error: unknown) => {
    if (GatewayError.is(error)) live.end();
  });
  const now = performance.now();
  if (now - live.quietSince < pingMs) return;
  live.quietSince = now;
  // What was written one silence ago has not left yet.
  if (live.response.writableLength > 0) live.response.destroy();
  else if (!live.response.writableEnded) live.response.write(': keep-alive\n\n');
}

interface Chapter {
  readonly events: readonly TaskEventRecord[];
  readonly present?: Partial<VideoResource>;
  readonly resourceAt: EventStreamsOptions['resourceAt'];
}

/** Writes what the client has not seen yet, and ends the stream behind the terminal status. */
function send(live: Live, task: Task, { events, present = {}, resourceAt }: Chapter): void {
  for (const { sequence, status } of events) {
    // The row was read before or after its events: only what it knows of can be shown whole.
    if (sequence <= live.sequence || sequence > task.eventSequence || live.response.writableEnded) {
      continue;
    }
    const resource = {
      ...resourceAt(task, status),
      ...(sequence === task.eventSequence && present),
    };
    live.response.write(`id: ${sequence}\nevent: ${status}\ndata: ${JSON.stringify(resource)}\n\n`);
    live.sequence = sequence;
    live.quietSince = performance.now();
    if (isTerminal(status)) live.end();
  }
}
