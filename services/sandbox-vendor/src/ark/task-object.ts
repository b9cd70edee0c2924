import type { Task } from '../tasks/task.ts';
import { vendorFramesPerSecond, videoTokens } from './usage.ts';

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** The task as the vendor shows it in a GET, in a list and in a callback. */
export function toTaskObject(task: Task): Record<string, unknown> {
  const { parameters } = task;
  return {
    id: task.id,
    model: task.model,
    status: task.status,
    ...(task.error !== undefined && { error: task.error }),
    ...(task.status === 'succeeded' && resultOf(task)),
    created_at: toSeconds(task.createdAtMs),
    updated_at: toSeconds(task.updatedAtMs),
    service_tier: parameters.serviceTier,
    execution_expires_after: parameters.expiresAfterSeconds,
    ...parameters.echo,
  };
}

function resultOf({ output, parameters, reportedSeconds }: Task): Record<string, unknown> {
  const { resolution, ratio, seed } = parameters;
  const seconds = reportedSeconds ?? parameters.seconds;
  const tokens = videoTokens({ resolution, ratio, seconds });
  return {
    content: {
      ...(output !== undefined && { video_url: output.videoUrl }),
      ...(output?.lastFrameUrl !== undefined && { last_frame_url: output.lastFrameUrl }),
    },
    usage: { completion_tokens: tokens, total_tokens: tokens },
    seed,
    resolution,
    ratio,
    duration: seconds,
    framespersecond: vendorFramesPerSecond,
  };
}
