import { shapes, videoStatusSchema, type Schema } from '@gateway/contracts';
import { sealedPattern } from '../../http/routes/events.ts';
import { eventFields, ref } from '../../http/resource-schemas.ts';
import { momentNames, type momentResource } from '../../http/timeline-resource.ts';
import type { accountEventResource } from '../../http/video-resources.ts';
import type { Operation } from '../operation.ts';

const { constant, count, described, flag, moment, oneOf, orNull, schemaOf, text } = shapes;

export const eventSchemas: Readonly<Record<string, Schema>> = {
  AccountEvent: schemaOf<ReturnType<typeof accountEventResource>>({
    ...eventFields,
    video: ref('Video'),
  }),
  AccountEventList: schemaOf<{
    object: 'list';
    data: unknown[];
    last_id: string;
    reset: boolean;
    has_more: boolean;
  }>({
    object: constant('list'),
    data: shapes.listOf(ref('AccountEvent')),
    last_id: described(text, 'Pass it as `after` to get what happens from now on.'),
    reset: described(
      flag,
      'Too much has happened since `after` to be told: read the videos again, and go on from `last_id`.',
    ),
    has_more: constant(false),
  }),
  VideoMoment: schemaOf<ReturnType<typeof momentResource>>({
    object: constant('video.moment'),
    name: oneOf(momentNames),
    at: moment,
    status: described(
      orNull(videoStatusSchema),
      'Of `ended` the last status, of `pushed` the status that was delivered; otherwise null.',
    ),
    quota: described(
      orNull(count),
      'Of `held`, `charged` and `released` how much; otherwise null.',
    ),
  }),
  VideoMomentList: schemaOf<{ object: 'list'; data: unknown[]; has_more: false }>({
    object: constant('list'),
    data: shapes.listOf(ref('VideoMoment')),
    has_more: constant(false),
  }),
};

const position = { type: 'string', pattern: sealedPattern } as const;

/** What happens to all tasks of an account. */
export const eventOperations: readonly Operation[] = [
  {
    id: 'listEvents',
    method: 'get',
    path: '/v1/events',
    tag: 'Videos',
    access: 'videos:read',
    summary: 'Follow what happens to all tasks of the account',
    description:
      'With `Accept: text/event-stream`, a stream that does not end: one event for each status of any task. It begins with `ready` and a few of the last events, or where `Last-Event-ID` says. After `reset` read your videos again: too much has happened meanwhile. Otherwise JSON: what happened behind `after`, and where to go on. Either way an event may come more than once: by `video.id` and `sequence` it is the same.',
    query: [
      {
        name: 'after',
        schema: position,
        description: 'The `last_id` of the response before, or the last `id` of a stream.',
      },
    ],
    headers: [
      {
        name: 'Last-Event-ID',
        schema: position,
        description: 'To resume a stream: the last id that you received.',
      },
    ],
    responses: {
      200: {
        description: 'Events, oldest first, or a stream of them.',
        content: {
          'application/json': ref('AccountEventList'),
          'text/event-stream': { type: 'string' },
        },
      },
    },
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
];
