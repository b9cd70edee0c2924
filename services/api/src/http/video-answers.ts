import { videoResource, type MediaLinks, type Task, type VideoResource } from '@gateway/contracts';
import type { TaskEventRecord } from '@gateway/store';
import type { VideoQuote } from '../use-cases/quote-video.ts';

export interface VideoAnswersOptions {
  readonly links: MediaLinks;
  /** How many turns until a queued task has its own; undefined when it cannot be told. */
  readonly queuePosition: (taskId: string) => Promise<number | undefined>;
  /** The same for many at once. */
  readonly queuePositions: (taskIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

export interface VideoAnswers {
  one(task: Task): Promise<VideoResource>;
  many(tasks: readonly Task[]): Promise<VideoResource[]>;
  /** What only an answer has, and a push has not. */
  positionOf(task: Task): Promise<Pick<VideoResource, 'queue_position'>>;
}

/** Tasks as answers show them: the resource, and the place in line of those that wait. */
export function createVideoAnswers({ links, queuePosition, queuePositions }: VideoAnswersOptions): VideoAnswers {
  // The task stands whether its place in line can be told or not.
  const positionOf: VideoAnswers['positionOf'] = async ({ id, status }) => placed(status === 'queued' ? await queuePosition(id).catch(() => undefined) : undefined);
  return {
    positionOf,
    one: async (task) => ({ ...videoResource(task, links), ...(await positionOf(task)) }),
    async many(tasks) {
      const queued = tasks.filter(({ status }) => status === 'queued').map(({ id }) => id);
      const positions = queued.length === 0 ? new Map<string, number>() : await queuePositions(queued).catch(() => new Map<string, number>());
      return tasks.map((task) => ({ ...videoResource(task, links), ...placed(positions.get(task.id)) }));
    },
  };
}

const placed = (position: number | undefined): Pick<VideoResource, 'queue_position'> => (position === undefined ? {} : { queue_position: position });

export const eventResource = ({ sequence, status, at }: TaskEventRecord) => ({ object: 'video.event', sequence, status, created_at: at.toISOString() });

/** What a creation would make of the body, in the words of the resource. */
export const quoteResource = ({ read: { model, request }, price, availableQuota }: VideoQuote) => ({
  object: 'video.quote',
  model: model.name,
  duration: request.duration,
  ratio: request.ratio,
  aspect_ratio: request.ratio,
  resolution: request.resolution,
  seed: request.seed,
  watermark: request.watermark,
  generate_audio: request.generateAudio,
  return_last_frame: request.returnLastFrame,
  metadata: request.metadata,
  portal_billing: {
    billing_mode: 'per_second', second_quota: price.secondQuota, reserved_duration_seconds: price.reservedSeconds, max_billing_quota: price.maxQuota,
  },
  balance: availableQuota,
  affordable: availableQuota >= price.maxQuota,
});
