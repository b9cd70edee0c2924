import type { CallToolResult } from '@modelcontextprotocol/server';
import { create, readCreation } from './create-video.ts';
import { isEnded, type Json, type Page, type Video } from './gateway.ts';
import { resultOf } from './result.ts';
import type { Arguments, Connection } from './tool.ts';
import { said, saidOfMade } from './tools.ts';
import { mostWaitSeconds, newsOf, waitFor } from './wait.ts';

/** A task of the protocol is a video, under its id: nothing is kept for it. */
export interface TaskState {
  readonly video: Video;
  /** What the call came to; undefined while it goes on. */
  readonly result: CallToolResult | undefined;
  /** What went wrong when it began. */
  readonly note?: string | undefined;
}

/** Milliseconds that clients are asked to leave between two questions. */
const pollEveryMs = 2_000;

interface Saving {
  readonly target: string;
  result?: CallToolResult;
  running?: Promise<void>;
}

export interface Tasks {
  /** Creates the video of a call. */
  begin(args: Arguments, signal: AbortSignal): Promise<TaskState>;
  get(id: string, signal: AbortSignal): Promise<TaskState>;
  /** The result of a task that ends within the time that a call may take. */
  end(id: string, signal: AbortSignal): Promise<TaskState>;
  cancel(id: string, signal: AbortSignal): Promise<TaskState>;
  list(after: string | undefined, signal: AbortSignal): Promise<Page<Video>>;
}

/** The tasks of one connection. Files that are to be put on disk are, before a task is over. */
export function createTasks(connection: Connection, lifetime: AbortSignal): Tasks {
  const { gateway, budget } = connection;
  const savings = new Map<string, Saving>();
  const save = (video: Video, saving: Saving): Promise<void> =>
    (saving.running ??= saidOfMade(connection, {
      video,
      saveAs: saving.target,
      signal: lifetime,
    }).then((made) => {
      saving.result = resultOf(made);
    }));
  const stateOf = async (video: Video): Promise<TaskState> => {
    await budget.seen(video);
    const saving = savings.get(video.id);
    if (saving !== undefined && video.status === 'succeeded') {
      void save(video, saving);
      return { video, result: saving.result };
    }
    return {
      video,
      result: isEnded(video) ? await endOf(connection, video, lifetime) : undefined,
    };
  };
  return {
    async begin(args, signal) {
      args.whole('wait_seconds', { least: 0, most: mostWaitSeconds });
      const creation = await readCreation(connection, args, signal);
      const { video, hint: note } = await create(connection, creation, signal);
      if (creation.saveAs !== undefined) savings.set(video.id, { target: creation.saveAs });
      return { video, result: undefined, note };
    },
    get: async (id, signal) => stateOf(await gateway.get(id, signal)),
    async end(id, signal) {
      const waiting = { signal, seconds: mostWaitSeconds, progress: () => undefined };
      const video = await waitFor(connection, await gateway.get(id, signal), waiting);
      const saving = savings.get(id);
      if (saving !== undefined && video.status === 'succeeded') await save(video, saving);
      return stateOf(video);
    },
    cancel: async (id, signal) => stateOf(await gateway.cancel(id, signal)),
    list: (after, signal) => gateway.list(after === undefined ? {} : { after }, signal),
  };
}

async function endOf(
  connection: Connection,
  video: Video,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const result = resultOf(await said(connection, { video, saveAs: undefined, signal }));
  return video.status === 'succeeded' ? result : { ...result, isError: true };
}

const timesOf = ({
  created_at: createdAt,
  started_at: startedAt,
  completed_at: endedAt,
}: Video) => ({
  createdAt,
  lastUpdatedAt: endedAt ?? startedAt ?? createdAt,
});

function messageOf({ video, result, note }: TaskState): string {
  if (note !== undefined) return note;
  return video.status === 'succeeded' && result === undefined ? 'the file is saved' : newsOf(video);
}

/** A task as clients of 2025-11-25 know it: a call that came to nothing has failed. */
export const olderTask = (state: TaskState): Json => ({
  taskId: state.video.id,
  status: olderStatus(state),
  statusMessage: messageOf(state),
  ...timesOf(state.video),
  ttl: null,
  pollInterval: pollEveryMs,
});

function olderStatus({ video, result }: TaskState): string {
  if (result === undefined) return 'working';
  if (video.status === 'cancelled') return 'cancelled';
  return result.isError === true ? 'failed' : 'completed';
}

/** A task of the protocol's extension: it completes with whatever the call came to. */
export function extensionTask(state: TaskState): Json {
  const { video, result } = state;
  const isCancelled = video.status === 'cancelled' && result !== undefined;
  return {
    taskId: video.id,
    status: isCancelled ? 'cancelled' : result === undefined ? 'working' : 'completed',
    statusMessage: messageOf(state),
    ...timesOf(video),
    ttlMs: null,
    pollIntervalMs: pollEveryMs,
    ...(result !== undefined && !isCancelled && { result: { resultType: 'complete', ...result } }),
  };
}
