import {
  priceItemKinds,
  taskFailures,
  taskStatuses,
  type PriceItem,
  type TaskStatus,
} from '@gateway/domain';
import {
  constant,
  count,
  described,
  eitherOf,
  flag,
  listOf,
  moment,
  named,
  oneOf,
  orNull,
  schemaOf,
  text,
  whole,
  type Schema,
} from './schema-of.ts';
import { requestResourceSchema } from './request-resource.ts';
import { optionSchemas } from './video-option-schemas.ts';
import type { HeldBilling, VideoResource } from './video-resource.ts';

const content = named(
  'VideoContent',
  schemaOf<NonNullable<VideoResource['content']>>(
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
        description: 'Signed URL of the last frame; only where it was asked for.',
      },
      poster_url: {
        type: 'string',
        format: 'uri',
        description:
          'Signed URL of a poster: the first frame as a small JPEG, for lists; absent where none could be made.',
      },
    },
    { optional: ['last_frame_url', 'poster_url'], description: 'Where the files of a video are.' },
  ),
);

const usage = named(
  'VideoUsage',
  schemaOf<NonNullable<VideoResource['usage']>>(
    {
      completion_tokens: described(count, 'Tokens of the video.'),
      total_tokens: described(count, 'Tokens of the whole request.'),
    },
    { description: 'Tokens as the vendor counted them; 0 where it counts none.' },
  ),
);

/** Why a task did not succeed, in one word. */
export const videoFailureCodeSchema = named('VideoFailureCode', oneOf(Object.keys(taskFailures)));

const failure = named(
  'VideoFailure',
  schemaOf<NonNullable<VideoResource['error']>>(
    {
      code: described(videoFailureCodeSchema, 'For programs to branch on.'),
      message: described(text, 'For people.'),
    },
    { description: 'Why the task did not succeed.' },
  ),
);

const item = named(
  'PriceItem',
  schemaOf<PriceItem>(
    {
      kind: oneOf(priceItemKinds),
      quantity: described(count, 'Seconds, references, videos or tokens, as `kind` says.'),
      unit_quota: described(whole, 'Quota for one; negative where a factor takes something away.'),
      quota: described(whole, 'quantity × unit_quota.'),
    },
    { description: 'One line of what a video costs.' },
  ),
);
const items = (of: string, seconds: string): Schema =>
  described(
    listOf(item),
    `What ${of} is the sum of; only where that is not ${seconds} × second_quota.`,
  );

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

/** `portal_billing` of what is not billed, or not created yet. */
export const heldBillingSchema = named(
  'VideoReservation',
  schemaOf<HeldBilling>(held, { optional: ['items'], description: 'What is reserved, in quota.' }),
);

const billed = named(
  'VideoBill',
  schemaOf<VideoResource['portal_billing']>(
    {
      ...held,
      billed_duration_seconds: described(count, 'Seconds billed.'),
      billed_quota: described(count, 'Quota billed; 0 unless the task succeeded.'),
      billed_items: items('billed_quota', 'billed_duration_seconds'),
    },
    { optional: ['items', 'billed_items'], description: 'What was reserved and billed, in quota.' },
  ),
);

export const metadataSchema = named('Metadata', {
  type: 'object',
  additionalProperties: text,
  description: 'Your own names and values, as sent at creation.',
});

/** `status` of a task, where all of them may come. */
export const videoStatusSchema = named(
  'VideoStatus',
  described(oneOf(taskStatuses), 'Where a task is; the last four are final.'),
);

/** Of every status. */
const always = {
  id: described(text, 'Id of the task.'),
  object: constant('video'),
  model: described(text, 'Id of the model.'),
  duration: described(
    whole,
    'Seconds: as requested, or -1 if the model decides; the actual length once the task has succeeded.',
  ),
  ratio: described(text, 'Width to height, such as `16:9`.'),
  aspect_ratio: described(text, 'The same as `ratio`.'),
  resolution: described(text, 'Such as `720p`.'),
  seed: described(orNull(whole), 'Null: nobody chose one, and the vendor names none.'),
  generate_audio: described(flag, 'Whether the video has sound.'),
  ...optionSchemas,
  created_at: moment,
  expires_at: described(moment, 'When an unfinished task is given up.'),
  portal_billing: heldBillingSchema,
  metadata: metadataSchema,
  request: described(requestResourceSchema, 'What was asked for; only with `include=request`.'),
};
const provenance = described(
  named(
    'VideoProvenance',
    schemaOf<NonNullable<VideoResource['provenance']>>({
      c2pa: {
        anyOf: [
          named(
            'ContentCredentials',
            schemaOf<{ generator: string | null; signer: string | null }>(
              {
                generator: described(orNull(text), 'The program that made the newest claim.'),
                signer: described(orNull(text), 'Who signed it, by the name in the certificate.'),
              },
              {
                description: 'What a C2PA manifest in the file says; its signature is not checked.',
              },
            ),
          ),
          { type: 'null' },
        ],
      },
      watermark: described(
        orNull(text),
        'The invisible mark that the vendor’s documents say is in every picture.',
      ),
    }),
  ),
  'What the file itself carries about its origin; absent from videos of before it was looked for.',
);
const startedAt = described(moment, 'When the vendor took the task.');
const ended = {
  completed_at: described(moment, 'When the task came to its end.'),
  portal_billing: billed,
};
const unsuccessful = { started_at: startedAt, ...ended, error: failure };

type Field = keyof VideoResource;

/** What a task of each status has beside `always`, and which of that it may be without. */
const byStatus: Readonly<
  Record<
    TaskStatus,
    {
      readonly name: string;
      readonly about: string;
      readonly fields: Readonly<Partial<Record<Field, Schema>>>;
      readonly optional?: readonly Field[];
    }
  >
> = {
  queued: {
    name: 'QueuedVideo',
    about: 'It waits for the vendor.',
    fields: {
      queue_position: {
        type: 'integer',
        minimum: 1,
        description: 'Position in the vendor’s queue, 1 for the next; only when it is known.',
      },
    },
    optional: ['queue_position'],
  },
  running: {
    name: 'RunningVideo',
    about: 'The vendor is at work.',
    fields: { started_at: startedAt },
    optional: ['started_at'],
  },
  succeeded: {
    name: 'SucceededVideo',
    about: 'The video is there.',
    fields: {
      started_at: startedAt,
      ...ended,
      content: described(content, 'Absent once the files were removed after their retention.'),
      usage,
      provenance,
    },
    optional: ['started_at', 'content', 'provenance'],
  },
  failed: {
    name: 'FailedVideo',
    about: 'There will be no video; nothing is billed.',
    fields: unsuccessful,
    optional: ['started_at'],
  },
  cancelled: {
    name: 'CancelledVideo',
    about: 'You cancelled it; nothing is billed.',
    fields: unsuccessful,
    optional: ['started_at'],
  },
  expired: {
    name: 'ExpiredVideo',
    about: 'It took too long; nothing is billed.',
    fields: unsuccessful,
    optional: ['started_at'],
  },
};

const optionNames = Object.keys(optionSchemas) as readonly Field[];

function taskWith(status: TaskStatus): Schema {
  const { name, about, fields, optional = [] } = byStatus[status];
  const { id, object, model, ...rest } = always;
  return named(
    name,
    schemaOf<Record<string, unknown>>(
      { id, object, model, status: constant(status), ...rest, ...fields },
      { optional: [...optionNames, 'request', ...optional], description: about },
    ),
  );
}

/** The task resource as `videoResource` writes it, by status; responses add `queue_position`. */
export const videoResourceSchema: Schema = {
  ...eitherOf('status', taskStatuses.map(taskWith)),
  description: 'A video task. `status` says which fields it has.',
};
