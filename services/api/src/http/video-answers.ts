import { videoResource, type MediaLinks, type Task, type VideoResource } from '@gateway/contracts';
import type { TaskEventRecord } from '@gateway/store';
import type { VideoQuote } from '../use-cases/quote-video.ts';

export interface VideoAnswersOptions {
  readonly links: MediaLinks;
  /**
   * How many turns until each of these tasks has its own; those for which it cannot be told are
   * left out.
   */
  readonly queuePositions: (tasks: readonly Task[]) => Promise<ReadonlyMap<string, number>>;
}

export interface VideoAnswers {
  one(task: Task): Promise<VideoResource>;
  many(tasks: readonly Task[]): Promise<VideoResource[]>;
  /** What only an answer has, and a push has not. */
  positionOf(task: Task): Promise<Pick<VideoResource, 'queue_position'>>;
}

/** Tasks as answers show them: the resource, and the place in line of those that wait. */
export function createVideoAnswers({ links, queuePositions }: VideoAnswersOptions): VideoAnswers {
  const positionsOf = async (tasks: readonly Task[]): Promise<ReadonlyMap<string, number>> => {
    const queued = tasks.filter(({ status }) => status === 'queued');
    // The tasks stand whether their places in line can be told or not.
    return queued.length === 0 ? nowhere : queuePositions(queued).catch(() => nowhere);
  };
  const positionOf: VideoAnswers['positionOf'] = async (task) =>
    placed((await positionsOf([task])).get(task.id));
  return {
    positionOf,
    one: async (task) => ({ ...videoResource(task, links), ...(await positionOf(task)) }),
    async many(tasks) {
      const positions = await positionsOf(tasks);
      return tasks.map((task) => ({
        ...videoResource(task, links),
        ...placed(positions.get(task.id)),
      }));
    },
  };
}

const nowhere: ReadonlyMap<string, number> = new Map();

const placed = (position: number | undefined): Pick<VideoResource, 'queue_position'> =>
  position === undefined ? {} : { queue_position: position };

export const eventResource = ({ sequence, status, at }: TaskEventRecord) => ({
  object: 'video.event',
  sequence,
  status,
  created_at: at.toISOString(),
});

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
    billing_mode: 'per_second',
    second_quota: price.secondQuota,
    reserved_duration_seconds: price.reservedSeconds,
    max_billing_quota: price.maxQuota,
  },
  balance: availableQuota,
  affordable: availableQuota >= price.maxQuota,
});
