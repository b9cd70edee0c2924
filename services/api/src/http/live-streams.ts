import type { ServerResponse } from 'node:http';
import type { Task, VideoResource } from '@gateway/contracts';
import { GatewayError, isTerminal, type TaskStatus } from '@gateway/domain';
import { currentContext, runAs, type LogContext } from '@gateway/runtime';
import type { TaskEventRecord } from '@gateway/store';
import type { FollowTasks } from '../use-cases/follow-tasks.ts';

export interface LiveStreamsOptions {
  readonly following: FollowTasks;
  /** Silence that is filled with a comment. */
  readonly pingMs: number;
  /** The resource as it was, or is, with this status. */
  readonly resourceAt: (task: Task, status: TaskStatus) => VideoResource;
}

export interface OpenStream {
  readonly response: ServerResponse;
  readonly keyId: string;
  /** Rejects once the key of the stream is no longer valid. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly task: Task;
  /** Every event of the task, oldest first. */
  readonly events: readonly TaskEventRecord[];
  /** The newest event that the client has seen; 0 for none. */
  readonly lastSequence: number;
  /** Added to the resource of an event that is the present one. */
  readonly present: Partial<VideoResource>;
}

interface Live {
  readonly response: ServerResponse;
  readonly stillAllowed: () => Promise<unknown>;
  /** The request it is the response of. */
  readonly owner: LogContext | undefined;
  sequence: number;
  quietSince: number;
  end(): void;
}

export interface LiveStreams {
  /** Responds with what the client has not seen yet, and then with what happens. */
  begin(stream: OpenStream, onClose: () => void): void;
  endAll(): void;
  size(): number;
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: 'accept',
} as const;
const tickMs = 1_000;

/** Streams that are open: one timer for their comments, one query for their news. */
export function createLiveStreams({
  following,
  pingMs,
  resourceAt,
}: LiveStreamsOptions): LiveStreams {
  const open = new Set<Live>();
  let timer: NodeJS.Timeout | undefined;
  const tendAll = (): void => {
    for (const live of open) {
      runAs(live.owner, () => {
        tend(live, pingMs);
      });
    }
  };
  return {
    begin({ response, stillAllowed, lastSequence, task, events, present }, onClose) {
      const live: Live = {
        response,
        stillAllowed,
        owner: currentContext(),
        sequence: lastSequence,
        quietSince: performance.now(),
        end: () => {
          response.end();
        },
      };
      const unfollow = following.follow({
        taskId: task.id,
        sequence: () => live.sequence,
        take: (news) => {
          runAs(live.owner, () => {
            if (news.task === undefined) live.end();
            else send(live, news.task, { events: news.events, resourceAt });
          });
        },
      });
      open.add(live);
      timer ??= setInterval(tendAll, Math.min(tickMs, pingMs));
      response.once('close', () => {
        unfollow();
        open.delete(live);
        onClose();
        if (open.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      response.writeHead(200, streamHeaders);
      response.write('retry: 1000\n\n');
      send(live, task, { events, present, resourceAt });
    },
    endAll() {
      for (const live of open) live.end();
    },
    size: () => open.size,
  };
}

/**
 * Ends a stream whose key is no longer valid, fills its silence, and cuts off a client that reads
 * nothing.
 */
function tend(live: Live, pingMs: number): void {
  // A lookup that failed says nothing about the key.
  live.stillAllowed().catch((error: unknown) => {
    if (GatewayError.is(error)) live.end();
  });
  const now = performance.now();
  if (now - live.quietSince < pingMs) return;
  live.quietSince = now;
  // The last comment has not left yet.
  if (live.response.writableLength > 0) live.response.destroy();
  else if (!live.response.writableEnded) live.response.write(': keep-alive\n\n');
}

interface Chapter {
  readonly events: readonly TaskEventRecord[];
  readonly present?: Partial<VideoResource>;
  readonly resourceAt: LiveStreamsOptions['resourceAt'];
}

/** Writes what the client has not seen yet, and ends the stream after the terminal status. */
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
