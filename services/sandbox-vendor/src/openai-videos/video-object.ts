import type { Task, TaskFailure, TaskStatus } from '../tasks/task.ts';
import { failures } from '../tasks/outcome.ts';

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

const statuses = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'failed',
} as const satisfies Record<TaskStatus, string>;

const progress = {
  queued: 0,
  running: 50,
  succeeded: 100,
  failed: 0,
  expired: 0,
  cancelled: 0,
} as const satisfies Record<TaskStatus, number>;

/** The failures of a task, which is shared with the other formats, in this vendor's words. */
const errors: Readonly<Record<string, TaskFailure>> = {
  [failures.internal.code]: {
    code: 'server_error',
    message: 'The server had an error while processing your request.',
  },
  [failures.moderated.code]: {
    code: 'moderation_blocked',
    message: 'The generated video was blocked by our moderation system.',
  },
  [failures.expired.code]: { code: 'expired', message: 'The video was not finished in time.' },
};

/**
 * The task as this vendor shows it. A completed video without a file is one whose file has been
 * removed: it has expired.
 */
export function toVideoObject(task: Task): Record<string, unknown> {
  const { id, model, prompt, status, error, parameters, output, reportedSeconds } = task;
  const isOver = status !== 'queued' && status !== 'running';
  const endedAt = toSeconds(task.updatedAtMs);
  return {
    id,
    object: 'video',
    model,
    prompt,
    status: statuses[status],
    progress: progress[status],
    created_at: toSeconds(task.createdAtMs),
    completed_at: isOver ? endedAt : null,
    expires_at:
      status === 'succeeded'
        ? output === undefined
          ? endedAt
          : toSeconds(output.file.expiresAtMs)
        : null,
    seconds: String(reportedSeconds ?? parameters.seconds),
    size: parameters.echo['size'],
    remixed_from_video_id: null,
    error: error === undefined ? null : (errors[error.code] ?? error),
  };
}
