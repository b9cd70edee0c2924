import type { ServerResponse } from 'node:http';
import type { Task, VideoResource } from '@gateway/contracts';
import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { TaskEventRecord } from '@gateway/store';
import type { FollowTasks } from '../use-cases/follow-tasks.ts';
import type { KeptStream, StreamHolder, StreamKeeper } from './stream-keeper.ts';

export interface LiveStreamsOptions {
  readonly following: FollowTasks;
  readonly keeper: StreamKeeper;
  /** The resource as it was, or is, with this status. */
  readonly resourceAt: (task: Task, status: TaskStatus) => VideoResource;
}

export interface OpenStream {
  readonly response: ServerResponse;
  readonly holder: StreamHolder;
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
  readonly stream: KeptStream;
  sequence: number;
}

export interface LiveStreams {
  /** Responds with what the client has not seen yet, and then with what happens. */
  begin(stream: OpenStream, onClose: () => void): void;
}

/** Streams of single tasks: one query for the news of all. */
export function createLiveStreams({
  following,
  keeper,
  resourceAt,
}: LiveStreamsOptions): LiveStreams {
  return {
    begin({ response, stillAllowed, lastSequence, task, events, present }, onClose) {
      const live: Live = {
        sequence: lastSequence,
        stream: keeper.keep({
          response,
          stillAllowed,
          onClose: () => {
            unfollow();
            onClose();
          },
        }),
      };
      const unfollow = following.follow({
        taskId: task.id,
        sequence: () => live.sequence,
        take: (news) => {
          live.stream.within(() => {
            if (news.task === undefined) live.stream.end();
            else send(live, news.task, { events: news.events, resourceAt });
          });
        },
      });
      send(live, task, { events, present, resourceAt });
    },
  };
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
    if (sequence <= live.sequence || sequence > task.eventSequence || live.stream.hasEnded) {
      continue;
    }
    const resource = {
      ...resourceAt(task, status),
      ...(sequence === task.eventSequence && present),
    };
    live.stream.write(`id: ${sequence}\nevent: ${status}\ndata: ${JSON.stringify(resource)}\n\n`);
    live.sequence = sequence;
    if (isTerminal(status)) live.stream.end();
  }
}
