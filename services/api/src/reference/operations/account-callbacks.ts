import { callbackTestSchema, redeliverySchema, shapes, type Schema } from '@gateway/contracts';
import { pageOf, ref } from '../../http/resource-schemas.ts';
import type {
  callbackTestResource,
  redeliveryResource,
  sentTestResource,
  taskCallbackResource,
} from '../../http/routes/account-callbacks.ts';
import {
  callbackOutcomeSchema,
  deliveryStateSchema,
  callbackStopReasonSchema,
} from '../../http/word-schemas.ts';
import { idSchema, pageParameters, respondsWith, type Operation } from '../operation.ts';
import { bodyErrors } from './admin-parts.ts';

const { constant, count, described, flag, moment, orNull, schemaOf, text, whole } = shapes;

const sentTest = schemaOf<ReturnType<typeof sentTestResource>>({
  outcome: callbackOutcomeSchema,
  http_status: orNull(whole),
  duration_ms: count,
  detail: described(orNull(text), 'What was wrong; null when nothing was.'),
  answer: described(orNull(text), 'The beginning of the response.'),
});

export const taskCallbackFields: Record<keyof ReturnType<typeof taskCallbackResource>, Schema> = {
  id: described(text, 'Id of the task.'),
  object: constant('video.callback'),
  callback_url: described(text, 'Where it is pushed to: of the task, or of the endpoint.'),
  endpoint_id: described(orNull(text), 'Null: the address is the task’s own.'),
  state: described(
    deliveryStateSchema,
    '`delivered`: its address has every status; `failing`: the last attempts failed and more follow; `stopped`: nothing more is tried.',
  ),
  reason: described(orNull(callbackStopReasonSchema), 'Why it was stopped.'),
  failures: described(count, 'Failed attempts in a row.'),
  pending: described(count, 'Pushes not delivered yet.'),
  last_attempt_at: orNull(moment),
  last_outcome: orNull(callbackOutcomeSchema),
  last_status: orNull(whole),
  next_attempt_at: orNull(moment),
};

export const accountCallbackSchemas: Readonly<Record<string, Schema>> = {
  CallbackTestRequest: callbackTestSchema,
  CallbackTest: schemaOf<ReturnType<typeof callbackTestResource>>({
    id: text,
    object: constant('callback.test'),
    callback_url: text,
    delivered: described(flag, 'Whether the test event was answered with a 2xx.'),
    challenge: sentTest,
    event: described(orNull(sentTest), 'Null: not sent, because the challenge failed.'),
  }),
  RedeliveryRequest: redeliverySchema,
  TaskCallback: schemaOf<ReturnType<typeof taskCallbackResource>>(taskCallbackFields),
  TaskCallbackList: pageOf(ref('TaskCallback')),
  CallbackRedelivery: schemaOf<ReturnType<typeof redeliveryResource>>({
    object: constant('callback.redelivery'),
    dry_run: flag,
    redelivered: described(count, 'Tasks whose newest status is pushed again.'),
    video_ids: shapes.listOf(text),
    last_id: described(orNull(text), 'Pass it as `after` to go on.'),
    has_more: flag,
  }),
};

/** Callbacks of all tasks of an account. */
export const accountCallbackOperations: readonly Operation[] = [
  {
    id: 'listCallbacks',
    method: 'get',
    path: '/v1/callbacks',
    tag: 'Callbacks',
    access: 'videos:read',
    summary: 'List where the callbacks of all tasks stand',
    description:
      'A page looks through 100 tasks at most: it may have fewer items than `limit`, or none, and yet `has_more`. Then `last_id` says how far it got. Archived tasks are not in the list.',
    query: [
      ...pageParameters(idSchema('task')),
      {
        name: 'state',
        schema: deliveryStateSchema,
        description: 'Only callbacks in this state.',
      },
      {
        name: 'endpoint',
        schema: idSchema('endpoint'),
        description:
          'What goes to this endpoint of the account, in place of what goes to the `callback_url` of each task.',
      },
    ],
    responses: respondsWith('TaskCallbackList', 'One item for each task with a callback.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'redeliverCallbacks',
    method: 'post',
    path: '/v1/callbacks/redeliver',
    tag: 'Callbacks',
    access: 'videos:write',
    summary: 'Deliver the newest status of many tasks again',
    description:
      'Takes those of the next hundred tasks that are in this state, at their `callback_url` or, with `endpoint`, at that endpoint: repeat it with `after: last_id` while `has_more`. With `dry_run` it only says which. Repeating it does no harm.',
    body: {
      content: {
        'application/json': {
          schema: ref('RedeliveryRequest'),
          examples: {
            stopped: { summary: 'Whatever was given up', value: { state: 'stopped' } },
          },
        },
      },
    },
    responses: respondsWith('CallbackRedelivery', 'What is pushed again, and where to go on.'),
    errors: bodyErrors,
  },
  {
    id: 'testCallback',
    method: 'post',
    path: '/v1/callbacks/test',
    tag: 'Callbacks',
    access: 'videos:write',
    summary: 'Send a test event to an address',
    description:
      'First the challenge, then, once that is answered, an event `callback.test`, signed with the secret of the account: as a push, but each is sent once and nothing is kept. An address that fails is no error: the response says what came back. Six a minute for an account, one at a time; takes up to 20 seconds.',
    body: {
      content: {
        'application/json': {
          schema: ref('CallbackTestRequest'),
          examples: {
            receiver: {
              summary: 'A receiver of yours',
              value: { callback_url: 'https://receiver.example/hook' },
            },
          },
        },
      },
    },
    responses: respondsWith('CallbackTest', 'What came back.'),
    errors: [...bodyErrors, 'invalid_callback_url', 'rate_limit_exceeded'],
  },
];
