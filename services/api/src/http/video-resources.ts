import {
  heldBilling,
  optionFields,
  requestResource,
  videoResource,
  type MediaLinks,
  type Task,
  type VideoResource,
} from '@gateway/contracts';
import type { FeedEvent, TaskEventRecord } from '@gateway/store';
import type { VideoQuote } from '../use-cases/quote-video.ts';

export interface VideoResourcesOptions {
  readonly links: MediaLinks;
  /** Turns until each of these tasks has its own; tasks without a known position are left out. */
  readonly queuePositions: (tasks: readonly Task[]) => Promise<ReadonlyMap<string, number>>;
}

/** How tasks are shown. */
export interface Shown {
  /** With what was asked for. */
  readonly withRequest?: boolean;
}

export interface VideoResources {
  one(task: Task, shown?: Shown): Promise<VideoResource>;
  many(tasks: readonly Task[], shown?: Shown): Promise<VideoResource[]>;
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
    one: async (task, { withRequest = false } = {}) => ({
      ...videoResource(task, links),
      ...(await positionOf(task)),
      ...(withRequest && { request: requestResource(task) }),
    }),
    async many(tasks, { withRequest = false } = {}) {
      const positions = await positionsOf(tasks);
      return tasks.map((task) => ({
        ...videoResource(task, links),
        ...positioned(positions.get(task.id)),
        ...(withRequest && { request: requestResource(task) }),
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

/** An event in the stream of its account, with the task as it was then. */
export const accountEventResource = (event: FeedEvent, links: MediaLinks) => ({
  ...eventResource(event),
  video: videoResource(event.task, links, event.status),
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
  ...optionFields(request),
  metadata: request.metadata,
  portal_billing: heldBilling(price),
  balance: availableQuota,
  affordable: availableQuota >= price.maxQuota,
});
