import { shapes, type Schema } from '@gateway/contracts';
import { invariantNames, operatorActionKinds, type Exposure, type Violation } from '@gateway/store';
import type { QueueCount } from '@gateway/queue';
import type {
  accountResource,
  adminEntryResource,
  adjustmentResource,
  balanceResource,
  goneRouteResource,
  keyResource,
  operatorActionResource,
} from './admin-resource.ts';
import { adminTaskSchemas } from './admin-task-schemas.ts';
import { statusSchema } from './admin-status-schemas.ts';
import { listedExposureSchema, marginSchema } from './margin-schemas.ts';
import { pageOf, ref, resourceSchemas } from './resource-schemas.ts';
import { keyScopeSchema, ledgerKindSchema } from './word-schemas.ts';

const { constant, count, described, flag, growing, listOf, moment, oneOf, orNull, schemaOf, text } =
  shapes;
const { whole } = shapes;

const also = (
  schema: Schema | undefined,
  properties: Readonly<Record<string, Schema>>,
): Schema => ({
  ...schema,
  required: [...((schema?.['required'] ?? []) as string[]), ...Object.keys(properties)],
  properties: { ...(schema?.['properties'] as object), ...properties },
});

const account = schemaOf<ReturnType<typeof accountResource>>({
  id: text,
  object: constant('account'),
  name: text,
  balance_quota: whole,
  held_quota: count,
  available_quota: whole,
  debt_quota: count,
  active_videos: described(count, 'Unfinished tasks.'),
  active_videos_limit: described(
    orNull(count),
    'Unfinished tasks that it may have; null: as `limits.default_account` says.',
  ),
  active_keys: count,
  suspended: described(flag, 'Whether it begins no new work.'),
  suspended_at: orNull(moment),
  created_at: moment,
});

const key = schemaOf<ReturnType<typeof keyResource>>({
  id: text,
  object: constant('api_key'),
  account_id: text,
  name: text,
  prefix: text,
  scopes: listOf(keyScopeSchema),
  models: described(orNull(listOf(text)), 'Null: every model.'),
  requests_per_minute: described(orNull(count), 'Null: the configuration’s default.'),
  created_at: moment,
  expires_at: orNull(moment),
  revoked_at: orNull(moment),
  last_used_at: orNull(moment),
});

const balance: Record<keyof ReturnType<typeof balanceResource>, Schema> = {
  balance_quota: whole,
  held_quota: count,
  available_quota: whole,
  debt_quota: described(
    count,
    'What text cost beyond what the account had; paid first from its next top-up.',
  ),
};

const quotaOfAccount = shapes.named(
  'AccountQuota',
  schemaOf<ReturnType<typeof balanceResource>>(balance),
);

const entry = schemaOf<ReturnType<typeof adminEntryResource>>({
  id: text,
  object: constant('ledger_entry'),
  kind: ledgerKindSchema,
  task_id: orNull(text),
  quota: whole,
  balance_after: whole,
  held_after: count,
  note: orNull(text),
  created_at: moment,
});

const goneRoute = schemaOf<ReturnType<typeof goneRouteResource>>({
  object: constant('admin.gone_route'),
  provider: text,
  upstream_model: text,
  since: moment,
  detail: described(text, 'What the vendor said last.'),
  refusals: described(count, 'How often it was asked.'),
  paused_until: described(moment, 'No task is sent there before; then one finds out.'),
});

const queue = schemaOf<QueueCount & { object: 'queue' }>({
  object: constant('queue'),
  name: text,
  waiting: count,
  active: count,
  delayed: count,
  failed: count,
});

const verification = schemaOf<{
  object: string;
  ok: boolean;
  invariants: string[];
  violations: object[];
  exposures: object;
}>({
  object: constant('billing.verification'),
  ok: flag,
  invariants: listOf(growing(invariantNames)),
  violations: listOf(schemaOf<Violation>({ invariant: text, subject: text, detail: text })),
  exposures: schemaOf<Record<Exposure['kind'], number>>({
    late_success: count,
    submission_unknown: count,
    orphan: count,
    output_lost: count,
    watch_ended: count,
  }),
});

/** The responses to operators: components of the document. */
export const adminResourceSchemas: Readonly<Record<string, Schema>> = {
  Account: account,
  AccountList: pageOf(ref('Account')),
  NewAccount: also(account, { callback_secret: described(text, 'Shown only here.') }),
  ApiKey: key,
  ApiKeyList: pageOf(ref('ApiKey')),
  NewApiKey: also(key, { api_key: described(text, 'The key. Shown only here.') }),
  TopUp: schemaOf<
    { object: string; account_id: string; quota: number; added_quota: number } & typeof balance
  >({
    object: constant('top_up'),
    account_id: text,
    quota: count,
    added_quota: described(count, '0 when the `Idempotency-Key` was used before.'),
    ...balance,
  }),
  Adjustment: schemaOf<ReturnType<typeof adjustmentResource>>({
    object: constant('adjustment'),
    account_id: text,
    quota: described(whole, 'Below zero: what is taken.'),
    adjusted_quota: described(whole, '0 when the `Idempotency-Key` was used before.'),
    note: text,
    task_id: described(orNull(text), 'The task that it corrects.'),
    dry_run: described(flag, 'Whether nothing was changed.'),
    before: quotaOfAccount,
    after: quotaOfAccount,
  }),
  AdminLedgerEntryList: pageOf(entry),
  ...adminTaskSchemas,
  AdminCallbackSecret: also(resourceSchemas['CallbackSecret'], { account_id: text }),
  QueueList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(queue),
  }),
  GoneRouteList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(goneRoute),
  }),
  OperatorActionList: pageOf(
    schemaOf<ReturnType<typeof operatorActionResource>>({
      id: text,
      object: constant('admin.action'),
      at: moment,
      via: oneOf(['api', 'command']),
      action: oneOf(operatorActionKinds),
      account_id: text,
      subject: described(text, 'The id of what was changed.'),
      details: described({ type: 'object' }, 'What was asked for.'),
    }),
  ),
  RouteRetry: schemaOf<{
    object: string;
    provider: string;
    upstream_model: string;
    was_gone: boolean;
  }>({
    object: constant('admin.route_retry'),
    provider: text,
    upstream_model: text,
    was_gone: described(flag, 'Whether it was left out until now.'),
  }),
  BillingVerification: verification,
  MarginReport: marginSchema,
  ExposureList: pageOf(listedExposureSchema),
  AdminStatus: statusSchema,
};
