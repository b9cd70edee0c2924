import {
  heldBilling,
  videoResource,
  type MediaLinks,
  type Task,
  type VideoResource,
} from '@gateway/contracts';
import type { TaskEventRecord } from '@gateway/store';
import type { VideoQuote } from '../use-cases/quote-video.ts';

export interface VideoResourcesOptions {
  readonly links: MediaLinks;
  /** Turns until each of these tasks has its own; tasks without a known position are left out. */
  readonly queuePositions: (tasks: readonly Task[]) => Promise<ReadonlyMap<string, number>>;
}

export interface VideoResources {
  one(task: Task): Promise<VideoResource>;
  many(tasks: readonly Task[]): Promise<VideoResource[]>;
  /** What responses have and pushes have not. */
  positionOf(task: Task): Promise<Pick<VideoResource, 'queue_position'>>;
}

/** Tasks as responses show them: the resource, and the queue position of those that wait. */
export function createVideoResources({
  links,
  queuePositions,
}: VideoResourcesOptions): VideoResources {
  const positionsOf = async (tasks: readonly Task[]): Promise<ReadonlyMap<string, number>> => {
    const queued = tasks.filter(({ status }) => status === 'queued');
    // The tasks are shown even when their positions cannot be read.
    return queued.length === 0 ? noPositions : queuePositions(queued).catch(() => noPositions);
  };
  const positionOf: VideoResources['positionOf'] = async (task) =>
    positioned((await positionsOf([task])).get(task.id));
  return {
    positionOf,
    one: async (task) => ({ ...videoResource(task, links), ...(await positionOf(task)) }),
    async many(tasks) {
      const positions = await positionsOf(tasks);
      return tasks.map((task) => ({
        ...videoResource(task, links),
        ...positioned(positions.get(task.id)),
      }));
    },
  };
}

const noPositions: ReadonlyMap<string, number> = new Map();

const positioned = (position: number | undefined): Pick<VideoResource, 'queue_position'> =>
  position === undefined ? {} : { queue_position: position };

export const eventResource = ({ sequence, status, at }: TaskEventRecord) => ({
  object: 'video.event',
  sequence,
  status,
  created_at: at.toISOString(),
});

/** What a creation with this body would reserve, in the fields of the resource. */
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
  portal_billing: heldBilling(price),
  balance: availableQuota,
  affordable: availableQuota >= price.maxQuota,
});
