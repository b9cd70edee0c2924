import { shapes, videoStatusSchema, type Schema } from '@gateway/contracts';
import { sealedPattern } from '../../http/feed-place.ts';
import { eventPageOf } from '../../http/event-page-schema.ts';
import { eventFields, ref } from '../../http/resource-schemas.ts';
import { momentNames, type momentResource } from '../../http/timeline-resource.ts';
import type { accountEventResource } from '../../http/video-resources.ts';
import type { Operation } from '../operation.ts';

const { constant, count, described, moment, oneOf, orNull, schemaOf } = shapes;

export const eventSchemas: Readonly<Record<string, Schema>> = {
  AccountEvent: schemaOf<ReturnType<typeof accountEventResource>>({
    ...eventFields,
    video: ref('Video'),
  }),
  AccountEventList: eventPageOf(ref('AccountEvent'), 'the videos'),
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

/** Where a client goes on in a feed of events. */
export const placeParameters: Pick<Operation, 'query' | 'headers'> = {
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
};

/** Events of a feed, as pages of this component or a stream. */
export const eventResponses = (component: string): Operation['responses'] => ({
  200: {
    description: 'Events, oldest first, or a stream of them.',
    content: {
      'application/json': ref(component),
      'text/event-stream': { type: 'string' },
    },
  },
});

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
    ...placeParameters,
    responses: eventResponses('AccountEventList'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
];
