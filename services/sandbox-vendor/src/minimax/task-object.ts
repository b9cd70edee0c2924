import type { Task, TaskFailure } from '../tasks/task.ts';

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** The ends of the sandbox's tasks, in this vendor's codes. */
const failures: Readonly<Partial<Record<string, TaskFailure>>> = {
  OutputVideoSensitiveContentDetected: { code: '1027', message: 'output new_sensitive' },
  'InvalidParameter.InputDownload': {
    code: '2013',
    message: 'invalid params, a reference could not be downloaded',
  },
};
const unknownFailure: TaskFailure = { code: '1000', message: 'unknown error' };

const failureOf = ({ error }: Task): { readonly error?: TaskFailure } =>
  error === undefined ? {} : { error: failures[error.code] ?? unknownFailure };

/** The task as the vendor shows it, with another status than its own when one is given. */
export function toTaskObject(task: Task, status: string = task.status): object {
  const {
    parameters: { drawnResolution, ratio, seconds },
    output,
  } = task;
  const length = task.reportedSeconds ?? seconds;
  return {
    id: task.id,
    model: task.model,
    status,
    ...failureOf(task),
    ...(task.status === 'succeeded' && {
      content: output === undefined ? {} : { url: output.videoUrl },
      usage: {
        total_seconds: length,
        input_seconds: 0,
        output_seconds: length,
        input_image_count: 0,
      },
    }),
    resolution: drawnResolution,
    ratio,
    duration: length,
    created_at: toSeconds(task.createdAtMs),
    updated_at: toSeconds(task.updatedAtMs),
    task_type: 'generation',
    modality: 'video',
  };
}
