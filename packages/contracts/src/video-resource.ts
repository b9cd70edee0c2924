import { isTerminal, type PriceItem, type TaskStatus } from '@gateway/domain';
import type { Provenance, Task, TaskBill, TaskPrice } from './task.ts';
import type { RequestResource } from './request-resource.ts';
import { optionFields, type ServiceTier, type VideoTask } from './video-options.ts';

/** Signs fresh media addresses for a task id. */
export interface MediaLinks {
  readonly video: (taskId: string) => string;
  readonly lastFrame: (taskId: string) => string;
  readonly poster: (taskId: string) => string;
}

/** The task resource: what `GET /v1/videos/{id}` returns and what is pushed. */
export interface VideoResource {
  readonly id: string;
  readonly object: 'video';
  readonly model: string;
  readonly status: TaskStatus;
  /**
   * How many slots until the task is handed to the vendor, 1 for the next; only in responses, while
   * queued, and when it can be told.
   */
  readonly queue_position?: number;
  readonly duration: number;
  readonly ratio: string;
  readonly aspect_ratio: string;
  readonly resolution: string;
  readonly seed: number | null;
  readonly generate_audio: boolean;
  /** These four as sent at creation, and only where they were. */
  readonly service_tier?: ServiceTier;
  readonly draft?: boolean;
  readonly priority?: number;
  readonly task?: VideoTask;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly expires_at: string;
  readonly content?: {
    readonly video_url: string;
    readonly last_frame_url?: string;
    readonly poster_url?: string;
  };
  readonly usage?: { readonly completion_tokens: number; readonly total_tokens: number };
  readonly provenance?: {
    readonly c2pa: { readonly generator: string | null; readonly signer: string | null } | null;
    readonly watermark: string | null;
  };
  readonly error?: { readonly code: string; readonly message: string };
  readonly portal_billing: PortalBilling;
  readonly metadata: Readonly<Record<string, string>>;
  /** Only in responses that were asked to include it. */
  readonly request?: RequestResource;
}

/** What is reserved for a video. */
export interface HeldBilling {
  readonly billing_mode: 'per_second';
  readonly second_quota: number;
  readonly reserved_duration_seconds: number;
  readonly max_billing_quota: number;
  /** What `max_billing_quota` is the sum of; only where that is not seconds × second_quota. */
  readonly items?: readonly PriceItem[];
}

interface PortalBilling extends HeldBilling {
  readonly billed_duration_seconds?: number;
  readonly billed_quota?: number;
  /** The same of `billed_quota`. */
  readonly billed_items?: readonly PriceItem[];
}

/** The reservation of a task, or of one that is not created yet. */
export const heldBilling = ({
  secondQuota,
  reservedSeconds,
  maxQuota,
  terms,
}: TaskPrice): HeldBilling => ({
  billing_mode: 'per_second',
  second_quota: secondQuota,
  reserved_duration_seconds: reservedSeconds,
  max_billing_quota: maxQuota,
  ...(terms !== undefined && maxQuota !== reservedSeconds * secondQuota && { items: terms.items }),
});

const billedBilling = ({ seconds, quota, items }: TaskBill, secondQuota: number) => ({
  billed_duration_seconds: seconds,
  billed_quota: quota,
  ...(items !== undefined && quota !== seconds * secondQuota && { billed_items: items }),
});

/**
 * The one serialiser of a task. `status` is the task's own for a GET, and an event's for a push: a
 * push that is delivered late shows what a GET would have returned when the task had that status.
 */
export function videoResource(
  task: Task,
  links: MediaLinks,
  status: TaskStatus = task.status,
): VideoResource {
  const ending = isTerminal(status) ? task : undefined;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status,
    ...picture(task, status),
    generate_audio: task.request.generateAudio,
    ...optionFields(task.request),
    ...times(task, status),
    ...(status === 'succeeded' && output(task, links)),
    ...(ending?.failure && {
      error: { code: ending.failure.code, message: ending.failure.message },
    }),
    portal_billing: {
      ...heldBilling(task.price),
      ...(ending?.billed && billedBilling(ending.billed, task.price.secondQuota)),
    },
    metadata: task.request.metadata,
  };
}

function times(
  { createdAt, startedAt, completedAt, expiresAt }: Task,
  status: TaskStatus,
): Pick<VideoResource, 'created_at' | 'started_at' | 'completed_at' | 'expires_at'> {
  return {
    created_at: createdAt.toISOString(),
    ...(status !== 'queued' && startedAt && { started_at: startedAt.toISOString() }),
    ...(isTerminal(status) && completedAt && { completed_at: completedAt.toISOString() }),
    expires_at: expiresAt.toISOString(),
  };
}

/** As asked while the task is on its way; as made once there is a video. */
function picture(
  { request, result, billed }: Task,
  status: TaskStatus,
): Pick<VideoResource, 'duration' | 'ratio' | 'aspect_ratio' | 'resolution' | 'seed'> {
  const made =
    status === 'succeeded' && result !== null && billed !== null
      ? { ...result, duration: billed.seconds }
      : request;
  return {
    duration: made.duration,
    ratio: made.ratio,
    aspect_ratio: made.ratio,
    resolution: made.resolution,
    seed: made.seed,
  };
}

function output(task: Task, links: MediaLinks): Partial<VideoResource> {
  return {
    // A link that returns 410 is worse than none.
    ...(task.mediaPurgedAt === null && { content: content(task, links) }),
    ...(task.result && {
      usage: {
        completion_tokens: task.result.completionTokens,
        total_tokens: task.result.totalTokens,
      },
    }),
    ...(task.result?.provenance && { provenance: provenanceResource(task.result.provenance) }),
  };
}

const provenanceResource = ({
  c2pa,
  watermark,
}: Provenance): NonNullable<VideoResource['provenance']> => ({
  c2pa: c2pa && { generator: c2pa.generator ?? null, signer: c2pa.signer ?? null },
  watermark,
});

function content(task: Task, links: MediaLinks): NonNullable<VideoResource['content']> {
  return {
    video_url: links.video(task.id),
    ...(task.request.returnLastFrame && { last_frame_url: links.lastFrame(task.id) }),
    ...(task.result?.hasPoster === true && { poster_url: links.poster(task.id) }),
  };
}
