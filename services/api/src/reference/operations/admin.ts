import { adminRequestSchemas } from '@gateway/contracts';
import type { IdKind } from '@gateway/domain';
import { keyScopes } from '@gateway/store';
import { exposureKindSchema } from '../../http/word-schemas.ts';
import {
  dayParameters,
  respondsWith,
  idempotencyKey,
  idSchema,
  pageParameters,
  type Operation,
} from '../operation.ts';
import { rotation } from './account.ts';
import { bodyErrors, bodyOf, get, listErrors, post } from './admin-parts.ts';

const { account, accountPatch, key, keyPatch, topUp, adjustment, route } =
  adminRequestSchemas(keyScopes);
const accountIds = { id: 'account' } as const;
const ofAccount = ['account_not_found'] as const;
const entryId = { type: 'string', pattern: '^entry_[0-9a-f]{32}$' };

const listing = (kind: IdKind): Pick<Operation, 'query' | 'errors'> => ({
  query: pageParameters(idSchema(kind)),
  errors: listErrors,
});

export const adminSchemas = {
  AccountRequest: account,
  AccountPatchRequest: accountPatch,
  ApiKeyRequest: key,
  ApiKeyPatchRequest: keyPatch,
  TopUpRequest: topUp,
  AdjustmentRequest: adjustment,
  RouteRequest: route,
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
      summary: 'Change the name or the limit of an account, suspend it, or resume it',
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
      errors: ['key_not_found'],
    }),
    method: 'delete',
  },
  {
    ...get('adminChangeKey', '/admin/v1/keys/{id}', {
      summary: 'Change a key',
      description:
        'What is left out stays as it is. It takes effect within five seconds on every replica. A revoked key cannot be changed.',
      ids: { id: 'key' },
      body: bodyOf('ApiKeyPatchRequest', 'Another rate', { requests_per_minute: 600 }),
      responses: respondsWith('ApiKey', 'The key as it is now.'),
      errors: [...bodyErrors, 'key_not_found'],
    }),
    method: 'patch',
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
  get('adminReadStatus', '/admin/v1/status', {
    summary: 'Read how providers, queues and replicas are doing',
    description:
      'Slots, queues and late work come from the tables. What a replica alone knows (its version, its configuration in force and the one that it refused last, its calls, its view of circuit breakers) is what each one said within the last ten seconds. Read at most once a second, however many ask.',
    responses: respondsWith('AdminStatus', 'The status.'),
    errors: ['unknown_parameter'],
  }),
  get('adminListQueues', '/admin/v1/queues', {
    summary: 'Count the jobs in the queues',
    responses: respondsWith('QueueList', 'The queues.'),
    errors: ['upstream_unavailable'],
  }),
  get('adminListGoneRoutes', '/admin/v1/routes/gone', {
    summary: 'List the routes whose vendors say that they have no such model',
    description:
      'New tasks are kept from them, and those that wait there go to their other routes.',
    responses: respondsWith('GoneRouteList', 'The routes, by provider.'),
    errors: ['unknown_parameter'],
  }),
  post('adminRetryRoute', '/admin/v1/routes/retry', {
    summary: 'Send tasks on a route again whose vendor had no such model',
    description:
      'Takes effect within seconds on every replica. Retrying a route that is not left out changes nothing.',
    body: bodyOf('RouteRequest', 'After the model was enabled', {
      provider: 'ark',
      upstream_model: 'dreamina-seedance-2-0-260128',
    }),
    responses: respondsWith('RouteRetry', 'Whether it was left out.'),
    errors: bodyErrors,
  }),
  get('adminReadMargin', '/admin/v1/margin', {
    summary: 'Read what videos brought in and what vendors asked for them',
    description:
      'One item for each day, model and provider, by the day on which the vendor’s work ended, and one by one the work that nobody is billed for. Text is not part of it.',
    responses: respondsWith('MarginReport', 'Revenue, costs and margin.'),
    query: dayParameters,
    errors: listErrors,
  }),
  get('adminListExposures', '/admin/v1/exposures', {
    summary: 'List vendor work that nobody is billed for',
    description:
      'One by one, with whose it was and how it was found. Old ones are kept as sums by day, which `/admin/v1/billing/verify` and `/admin/v1/margin` count.',
    responses: respondsWith('ExposureList', 'Exposures, newest first.'),
    errors: listErrors,
    query: [
      ...pageParameters({ type: 'string', pattern: '^[1-9][0-9]{0,14}$' }),
      {
        name: 'kind',
        schema: exposureKindSchema,
        description: 'Only of this kind.',
      },
      { name: 'provider', schema: { type: 'string' }, description: 'Only at this provider.' },
      { name: 'account', schema: idSchema('account'), description: 'Only of this account.' },
      { name: 'task', schema: idSchema('task'), description: 'Only of this task.' },
    ],
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
