import { priceItemKinds, taskFailures, taskStatuses, type PriceItem } from '@gateway/domain';
import {
  constant,
  count,
  described,
  flag,
  moment,
  oneOf,
  orNull,
  schemaOf,
  text,
  whole,
} from './schema-of.ts';
import type { HeldBilling, VideoResource } from './video-resource.ts';

const content = schemaOf<NonNullable<VideoResource['content']>>(
  {
    video_url: {
      type: 'string',
      format: 'uri',
      description:
        'Signed URL of the video. It works for hours, not for ever: read the task again for a fresh one.',
    },
    last_frame_url: {
      type: 'string',
      format: 'uri',
      description: 'Signed address of the last frame, when it was asked for.',
    },
  },
  {
    optional: ['last_frame_url'],
    description: 'Only of a succeeded task whose files are still kept.',
  },
);

const items = (of: string, seconds: string) =>
  ({
    type: 'array',
    items: schemaOf<PriceItem>({
      kind: oneOf(priceItemKinds),
      quantity: count,
      unit_quota: described(whole, 'Negative where a factor takes something away.'),
      quota: described(whole, 'quantity × unit_quota.'),
    }),
    description: `What ${of} is the sum of; only where that is not ${seconds} × second_quota.`,
  }) as const;

const held = {
  billing_mode: constant('per_second'),
  second_quota: described(
    count,
    'Quota for each second of output, frozen at creation; 0 where whole lengths are sold.',
  ),
  reserved_duration_seconds: described(count, 'Seconds reserved at creation.'),
  max_billing_quota: described(count, 'Quota reserved at creation; no more is ever billed.'),
  items: items('max_billing_quota', 'reserved_duration_seconds'),
};

/** `portal_billing` of what is not created yet. */
export const heldBillingSchema = schemaOf<HeldBilling>(held, { optional: ['items'] });

const billing = schemaOf<VideoResource['portal_billing']>(
  {
    ...held,
    billed_duration_seconds: described(count, 'Seconds billed, once the task is over.'),
    billed_quota: described(count, 'Quota billed, once the task is over; 0 unless it succeeded.'),
    billed_items: items('billed_quota', 'billed_duration_seconds'),
  },
  { optional: ['items', 'billed_duration_seconds', 'billed_quota', 'billed_items'] },
);

/** The task resource as `videoResource` writes it; responses add `queue_position`. */
export const videoResourceSchema = schemaOf<VideoResource>(
  {
    id: described(text, 'Id of the task.'),
    object: constant('video'),
    model: text,
    status: oneOf(taskStatuses),
    queue_position: {
      type: 'integer',
      minimum: 1,
      description:
        'Position in the vendor’s queue, 1 for the next; only while the task is queued, and only when it is known.',
    },
    duration: described(
      whole,
      'Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded.',
    ),
    ratio: text,
    aspect_ratio: described(text, 'The same as `ratio`.'),
    resolution: text,
    seed: orNull(whole),
    generate_audio: flag,
    created_at: moment,
    started_at: described(moment, 'When the vendor took the task.'),
    completed_at: described(moment, 'When the task came to its end, whichever.'),
    expires_at: described(moment, 'When an unfinished task is given up.'),
    content,
    usage: schemaOf<NonNullable<VideoResource['usage']>>({
      completion_tokens: count,
      total_tokens: count,
    }),
    error: schemaOf<NonNullable<VideoResource['error']>>(
      { code: oneOf(Object.keys(taskFailures)), message: text },
      { description: 'Why the task did not succeed.' },
    ),
    portal_billing: billing,
    metadata: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'As sent at creation.',
    },
  },
  { optional: ['queue_position', 'started_at', 'completed_at', 'content', 'usage', 'error'] },
);
