import {
  endpointPatchSchema,
  endpointSchema,
  shapes,
  videoStatusSchema,
  type Schema,
} from '@gateway/contracts';
import { endpointStates, type endpointResource } from '../../http/endpoint-resource.ts';
import { deleted, pageOf, ref } from '../../http/resource-schemas.ts';
import { callbackOutcomeSchema } from '../../http/word-schemas.ts';
import { idSchema, pageParameters, respondsWith, type Operation } from '../operation.ts';
import { bodyErrors } from './admin-parts.ts';

const { constant, described, listOf, moment, named, oneOf, orNull, schemaOf, text } = shapes;

export const endpointSchemas: Readonly<Record<string, Schema>> = {
  EndpointRequest: endpointSchema,
  EndpointPatch: endpointPatchSchema,
  Endpoint: schemaOf<ReturnType<typeof endpointResource>>({
    id: text,
    object: constant('endpoint'),
    url: text,
    description: orNull(text),
    events: described(listOf(videoStatusSchema), 'Statuses that are pushed there.'),
    state: described(
      named('EndpointState', oneOf(endpointStates)),
      '`pending`: the challenge was not answered yet; `active`: statuses are pushed; `failed`: the challenge was not answered right; `disabled`: by you.',
    ),
    reason: described(orNull(callbackOutcomeSchema), 'How the last challenge failed.'),
    detail: described(orNull(text), 'What was wrong.'),
    verified_at: described(orNull(moment), 'When the challenge was answered.'),
    created_at: moment,
  }),
  EndpointList: pageOf(ref('Endpoint')),
  EndpointDeleted: deleted('endpoint.deleted'),
};

const tag = 'Callbacks';
const path = '/v1/webhook-endpoints';
const ids = { id: 'endpoint' } as const;

/** Addresses to which the statuses of all tasks of an account are pushed. */
export const endpointOperations: readonly Operation[] = [
  {
    id: 'listEndpoints',
    method: 'get',
    path,
    tag,
    access: 'videos:read',
    summary: 'List the endpoints of the account',
    query: pageParameters(idSchema('endpoint')),
    responses: respondsWith('EndpointList', 'Endpoints, newest first.'),
    errors: ['invalid_parameter', 'unknown_parameter'],
  },
  {
    id: 'createEndpoint',
    method: 'post',
    path,
    tag,
    access: 'videos:write',
    summary: 'Add an endpoint',
    description:
      'Every status of every task of the account is pushed there, beside the `callback_url` of the task; a task whose `callback_url` is the same address gets each status once. The response waits for the challenge: `active`, or `failed` with what was wrong. Counts as a test: six a minute for an account, one at a time. An account may have five, unless the operator says otherwise.',
    body: {
      content: {
        'application/json': {
          schema: ref('EndpointRequest'),
          examples: {
            ends: {
              summary: 'How videos end',
              value: {
                url: 'https://receiver.example/hook',
                events: ['succeeded', 'failed', 'expired', 'cancelled'],
              },
            },
          },
        },
      },
    },
    responses: respondsWith('Endpoint', 'The endpoint.'),
    errors: [
      ...bodyErrors,
      'invalid_callback_url',
      'endpoint_exists',
      'too_many_endpoints',
      'rate_limit_exceeded',
    ],
  },
  {
    id: 'getEndpoint',
    method: 'get',
    path: `${path}/{id}`,
    tag,
    access: 'videos:read',
    summary: 'Read an endpoint',
    ids,
    responses: respondsWith('Endpoint', 'The endpoint.'),
    errors: ['endpoint_not_found'],
  },
  {
    id: 'changeEndpoint',
    method: 'patch',
    path: `${path}/{id}`,
    tag,
    access: 'videos:write',
    summary: 'Change an endpoint',
    description:
      'What the body leaves out stays; the address always does. While it is disabled, nothing is pushed there, and what was pending is dropped.',
    ids,
    body: {
      content: {
        'application/json': {
          schema: ref('EndpointPatch'),
          examples: { off: { summary: 'Disable it', value: { enabled: false } } },
        },
      },
    },
    responses: respondsWith('Endpoint', 'The endpoint.'),
    errors: [...bodyErrors, 'endpoint_not_found'],
  },
  {
    id: 'deleteEndpoint',
    method: 'delete',
    path: `${path}/{id}`,
    tag,
    access: 'videos:write',
    summary: 'Delete an endpoint',
    description: 'What was pending there is dropped; the delivery logs of the tasks keep the rest.',
    ids,
    responses: respondsWith('EndpointDeleted', 'It is gone.'),
    errors: ['endpoint_not_found'],
  },
  {
    id: 'verifyEndpoint',
    method: 'post',
    path: `${path}/{id}/verify`,
    tag,
    access: 'videos:write',
    summary: 'Send the challenge once more',
    description: 'For an endpoint that has not answered it right; any other stays as it is.',
    ids,
    responses: respondsWith('Endpoint', 'The endpoint.'),
    errors: ['endpoint_not_found', 'rate_limit_exceeded'],
  },
  {
    id: 'testEndpoint',
    method: 'post',
    path: `${path}/{id}/test`,
    tag,
    access: 'videos:write',
    summary: 'Send a test event to an endpoint',
    description: 'As `POST /v1/callbacks/test` to its address. Its state stays as it is.',
    ids,
    responses: respondsWith('CallbackTest', 'What came back.'),
    errors: ['endpoint_not_found', 'invalid_callback_url', 'rate_limit_exceeded'],
  },
];
