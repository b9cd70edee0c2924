import { adminRequestSchemas } from '@gateway/contracts';
import { taskStatuses, type ErrorCode, type IdKind } from '@gateway/domain';
import { keyScopes } from '@gateway/store';
import { ref } from '../../http/resource-schemas.ts';
import {
  dayParameters,
  respondsWith,
  idempotencyKey,
  idSchema,
  pageParameters,
  type Body,
  type Operation,
} from '../operation.ts';
import { rotation } from './account.ts';

const { account, accountPatch, key, topUp, adjustment } = adminRequestSchemas(keyScopes);
const accountIds = { id: 'account' } as const;
const ofAccount = ['invalid_parameter', 'account_not_found'] as const;
const ofTask = ['invalid_parameter', 'task_not_found'] as const;
const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameter',
  'unknown_parameter',
  'missing_parameter',
  'payload_too_large',
  'unsupported_media_type',
  'overloaded',
];
const listErrors: readonly ErrorCode[] = ['invalid_parameter', 'unknown_parameter'];
const entryId = { type: 'string', pattern: '^entry_[0-9a-f]{32}$' };

const bodyOf = (component: string, summary: string, value: unknown): Body => ({
  content: {
    'application/json': { schema: ref(component), examples: { example: { summary, value } } },
  },
});

const get = (
  id: string,
  path: string,
  rest: Pick<Operation, 'summary' | 'responses'> & Partial<Operation>,
): Operation => ({
  id,
  path,
  method: 'get',
  tag: 'Administration',
  access: 'admin',
  errors: [],
  ...rest,
});
const post = (
  id: string,
  path: string,
  rest: Pick<Operation, 'summary' | 'responses'> & Partial<Operation>,
): Operation => ({ ...get(id, path, rest), method: 'post' });
const listing = (kind: IdKind): Pick<Operation, 'query' | 'errors'> => ({
  query: pageParameters(idSchema(kind)),
  errors: listErrors,
});

export const adminSchemas = {
  AccountRequest: account,
  AccountPatchRequest: accountPatch,
  ApiKeyRequest: key,
  TopUpRequest: topUp,
  AdjustmentRequest: adjustment,
} as const;

/** `/admin/v1`: served only where ADMIN_TOKEN is set. */
export const adminOperations: readonly Operation[] = [
  get('adminListAccounts', '/admin/v1/accounts', {
    summary: 'List accounts',
    responses: respondsWith('AccountList', 'Accounts, newest first.'),
    ...listing('account'),
  }),
  post('adminCreateAccount', '/admin/v1/accounts', {
    summary: 'Open an account',
    body: bodyOf('AccountRequest', 'With some quota', { name: 'Film students', quota: 10_000 }),
    responses: respondsWith('NewAccount', 'The account, and the secret of its callbacks.', [
      'Location',
    ]),
    errors: bodyErrors,
  }),
  get('adminGetAccount', '/admin/v1/accounts/{id}', {
    summary: 'Read an account',
    ids: accountIds,
    responses: respondsWith('Account', 'The account.'),
    errors: ofAccount,
  }),
  {
    ...get('adminChangeAccount', '/admin/v1/accounts/{id}', {
      summary: 'Suspend an account, or resume it',
      description:
        'A suspended account begins no new work: new videos, assets and text are refused with 403 `account_suspended`. Its running videos finish and are billed and pushed, and everything can be read. It takes effect within five seconds on every replica.',
      ids: accountIds,
      body: bodyOf('AccountPatchRequest', 'Suspend it', { suspended: true }),
      responses: respondsWith('Account', 'The account as it is now.'),
      errors: [...bodyErrors, 'account_not_found'],
    }),
    method: 'patch',
  },
  get('adminListKeys', '/admin/v1/accounts/{id}/keys', {
    summary: 'List the keys of an account',
    ids: accountIds,
    responses: respondsWith('ApiKeyList', 'Keys, newest first.'),
    query: pageParameters(idSchema('key')),
    errors: [...listErrors, 'account_not_found'],
  }),
  post('adminCreateKey', '/admin/v1/accounts/{id}/keys', {
    summary: 'Create a key',
    ids: accountIds,
    body: bodyOf('ApiKeyRequest', 'For video only', {
      name: 'render farm',
      scopes: ['videos:write', 'videos:read'],
      requests_per_minute: 300,
    }),
    responses: respondsWith('NewApiKey', 'The key.'),
    errors: [...bodyErrors, 'account_not_found'],
  }),
  {
    ...get('adminRevokeKey', '/admin/v1/keys/{id}', {
      summary: 'Revoke a key',
      ids: { id: 'key' },
      responses: respondsWith('ApiKey', 'The revoked key.'),
      errors: ['invalid_parameter', 'key_not_found'],
    }),
    method: 'delete',
  },
  post('adminTopUp', '/admin/v1/accounts/{id}/top-ups', {
    summary: 'Add quota to an account',
    ids: accountIds,
    headers: [idempotencyKey],
    body: bodyOf('TopUpRequest', 'An invoice', { quota: 5_000, note: 'invoice 2026-11' }),
    responses: respondsWith('TopUp', 'What was added, and the balance.', ['Idempotency-Replayed']),
    errors: [...bodyErrors, 'account_not_found', 'idempotency_key_reused'],
  }),
  post('adminAdjust', '/admin/v1/accounts/{id}/adjustments', {
    summary: 'Correct the balance of an account',
    description:
      'Gives quota or takes it away, with a reason, once under its `Idempotency-Key`, which is required. What is held or owed for cannot be taken: that is 402 `insufficient_quota`. With `dry_run` nothing is changed.',
    ids: accountIds,
    headers: [{ ...idempotencyKey, required: true, example: 'correction-2026-11-17' }],
    body: bodyOf('AdjustmentRequest', 'Given back', {
      quota: 600,
      note: 'the video was shown at a higher price than agreed',
      dry_run: true,
    }),
    responses: respondsWith('Adjustment', 'The balance before and after.', [
      'Idempotency-Replayed',
    ]),
    errors: [
      ...bodyErrors,
      'account_not_found',
      'task_not_found',
      'insufficient_quota',
      'idempotency_key_reused',
    ],
  }),
  get('adminListLedger', '/admin/v1/accounts/{id}/ledger', {
    summary: 'Read the ledger of an account',
    ids: accountIds,
    responses: respondsWith('AdminLedgerEntryList', 'Entries, newest first.'),
    query: pageParameters(entryId),
    errors: [...listErrors, 'account_not_found'],
  }),
  post('adminRotateSecret', '/admin/v1/accounts/{id}/callback-secret/rotate', {
    summary: 'Rotate the callback secret of an account',
    ids: accountIds,
    body: rotation,
    responses: respondsWith('AdminCallbackSecret', 'The new secret.'),
    errors: [...bodyErrors, 'account_not_found'],
  }),
  get('adminListTasks', '/admin/v1/tasks', {
    summary: 'List the tasks of all accounts',
    responses: respondsWith(
      'AdminTaskList',
      'Tasks, newest first, including deleted ones whose rows still exist.',
    ),
    errors: listErrors,
    query: [
      ...pageParameters(idSchema('task')),
      {
        name: 'status',
        schema: { type: 'string', enum: taskStatuses },
        description: 'Only tasks with this status.',
      },
      { name: 'account', schema: idSchema('account'), description: 'Only tasks of this account.' },
      { name: 'model', schema: { type: 'string' }, description: 'Only tasks of this model.' },
      { name: 'provider', schema: { type: 'string' }, description: 'Only tasks at this provider.' },
    ],
  }),
  get('adminListCallbacks', '/admin/v1/videos/{id}/callbacks', {
    summary: 'Read the delivery log of a task',
    ids: { id: 'task' },
    responses: respondsWith('AdminCallbackAttemptList', 'Attempts, newest first.'),
    query: pageParameters(idSchema('attempt')),
    errors: [...listErrors, 'task_not_found'],
  }),
  post('adminRedeliver', '/admin/v1/videos/{id}/callbacks/redeliver', {
    summary: 'Deliver the newest status again',
    ids: { id: 'task' },
    responses: respondsWith('VideoRedelivery', 'The redelivery is under way.'),
    errors: [...ofTask, 'no_callback'],
  }),
  get('adminListTries', '/admin/v1/videos/{id}/tries', {
    summary: 'Read what a task was sent to its vendors',
    description:
      'One for each route that the task was handed to. A task that was never sent has none.',
    ids: { id: 'task' },
    responses: respondsWith('AdminTaskTryList', 'The tries, in their order.'),
    errors: ofTask,
  }),
  get('adminListQueues', '/admin/v1/queues', {
    summary: 'Count the jobs in the queues',
    responses: respondsWith('QueueList', 'The queues.'),
    errors: ['upstream_unavailable'],
  }),
  get('adminReadMargin', '/admin/v1/margin', {
    summary: 'Read what videos brought in and what vendors asked for them',
    description:
      'One item for each day, model and provider, by the day on which the vendor’s work ended, and one by one the work that nobody is billed for. Text is not part of it.',
    responses: respondsWith('MarginReport', 'Revenue, costs and margin.'),
    query: dayParameters,
    errors: listErrors,
  }),
  get('adminVerifyBilling', '/admin/v1/billing/verify', {
    summary: 'Verify the ledger',
    responses: respondsWith('BillingVerification', 'The result of every invariant.'),
    errors: listErrors,
    query: [
      {
        name: 'grace',
        schema: { type: 'integer', minimum: 0, maximum: 86_400, default: 60 },
        description: 'Seconds after which work in flight counts as stuck.',
      },
    ],
  }),
];
