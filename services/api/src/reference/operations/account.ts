import { adminRequestSchemas } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/domain';
import { keyScopes } from '@gateway/store';
import { ref } from '../../http/resource-schemas.ts';
import {
  dayParameters,
  respondsWith,
  idSchema,
  pageParameters,
  type Body,
  type Operation,
} from '../operation.ts';

const taskIds = { id: 'task' } as const;
const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameter',
  'unknown_parameter',
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
];
const entryId = { type: 'string', pattern: '^entry_[0-9a-f]{32}$' };

/** How long the secret before goes on signing. */
export const rotation: Body = {
  optional: true,
  content: {
    'application/json': {
      schema: ref('SecretRotation'),
      examples: {
        hour: {
          summary: 'The old secret signs for one more hour',
          value: { overlap_seconds: 3600 },
        },
      },
    },
  },
};

export const accountSchemas = { SecretRotation: adminRequestSchemas(keyScopes).rotation } as const;

export const accountOperations: readonly Operation[] = [
  {
    id: 'listVideoCallbacks',
    method: 'get',
    path: '/v1/videos/{id}/callbacks',
    tag: 'Callbacks',
    access: 'videos:read',
    summary: 'Read the delivery log of a task',
    ids: taskIds,
    query: pageParameters(idSchema('attempt')),
    responses: respondsWith(
      'CallbackAttemptList',
      'Attempts, newest first, and where the callback stands.',
    ),
    errors: ['task_not_found'],
  },
  {
    id: 'redeliverVideoCallbacks',
    method: 'post',
    path: '/v1/videos/{id}/callbacks/redeliver',
    tag: 'Callbacks',
    access: 'videos:write',
    summary: 'Deliver the newest status again',
    ids: taskIds,
    responses: respondsWith('VideoRedelivery', 'The redelivery is under way.'),
    errors: ['task_not_found', 'no_callback'],
  },
  {
    id: 'getCallbackSecret',
    method: 'get',
    path: '/v1/callback-secret',
    tag: 'Callbacks',
    access: 'secrets:read',
    summary: 'Read the secret that signs callbacks',
    responses: respondsWith('CallbackSecret', 'The secret.'),
    errors: [],
  },
  {
    id: 'rotateCallbackSecret',
    method: 'post',
    path: '/v1/callback-secret/rotate',
    tag: 'Callbacks',
    access: 'secrets:read',
    summary: 'Rotate the callback secret',
    body: rotation,
    responses: respondsWith('CallbackSecret', 'The new secret.'),
    errors: bodyErrors,
  },
  {
    id: 'getBalance',
    method: 'get',
    path: '/v1/billing/balance',
    tag: 'Billing',
    access: 'billing:read',
    summary: 'Read the balance',
    responses: respondsWith('Balance', 'The balance, in quota units.'),
    errors: [],
  },
  {
    id: 'listLedgerEntries',
    method: 'get',
    path: '/v1/billing/ledger',
    tag: 'Billing',
    access: 'billing:read',
    summary: 'Read the ledger',
    query: pageParameters(entryId),
    responses: respondsWith('LedgerEntryList', 'Entries, newest first.'),
    errors: ['invalid_parameter'],
  },
  {
    id: 'listUsage',
    method: 'get',
    path: '/v1/usage',
    tag: 'Billing',
    access: 'billing:read',
    summary: 'Read usage by day or hour, model and key',
    description:
      'By hour a period covers at most 7 of the last 30 days, two by default, and has at most 50,000 rows.',
    query: [
      {
        name: 'by',
        schema: { type: 'string', enum: ['day', 'hour'], default: 'day' },
        description: 'What one item covers.',
      },
      {
        name: 'format',
        schema: { type: 'string', enum: ['json', 'csv'], default: 'json' },
        description: '`csv`: a file with one line for each item, its first line the names.',
      },
      ...dayParameters,
      { name: 'model', schema: { type: 'string' }, description: 'Only this model.' },
      { name: 'key_id', schema: { type: 'string' }, description: 'Only this key.' },
    ],
    responses: {
      200: {
        description: 'One item for each day or hour, model and key.',
        content: { 'application/json': ref('UsageList'), 'text/csv': { type: 'string' } },
      },
    },
    errors: ['invalid_parameter'],
  },
];
