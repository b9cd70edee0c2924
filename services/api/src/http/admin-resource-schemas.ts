import { shapes, type Schema } from '@gateway/contracts';
import { taskFailures, taskStatuses, taskSteps, tryOutcomes } from '@gateway/domain';
import {
  invariantNames,
  keyScopes,
  ledgerKinds,
  type Exposure,
  type Violation,
} from '@gateway/store';
import type { QueueCount } from '@gateway/queue';
import type {
  accountResource,
  adminEntryResource,
  adminTaskResource,
  adjustmentResource,
  balanceResource,
  keyResource,
  taskTryResource,
} from './admin-resource.ts';
import { marginSchema } from './margin-schemas.ts';
import { pageOf, ref, resourceSchemas } from './resource-schemas.ts';

const { constant, count, described, flag, listOf, moment, oneOf, orNull, schemaOf, text, whole } =
  shapes;

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
  scopes: listOf(oneOf(keyScopes)),
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

const entry = schemaOf<ReturnType<typeof adminEntryResource>>({
  id: text,
  object: constant('ledger_entry'),
  kind: oneOf(ledgerKinds),
  task_id: orNull(text),
  quota: whole,
  balance_after: whole,
  held_after: count,
  note: orNull(text),
  created_at: moment,
});

const task = schemaOf<ReturnType<typeof adminTaskResource>>({
  id: text,
  object: constant('admin.task'),
  account_id: text,
  request_id: text,
  model: text,
  provider: text,
  vendor_task_id: orNull(text),
  status: oneOf(taskStatuses),
  step: oneOf(taskSteps),
  step_failures: count,
  max_billing_quota: count,
  billed_quota: orNull(count),
  error: orNull(
    schemaOf<{ code: string; message: string | null }>({
      code: oneOf(Object.keys(taskFailures)),
      message: orNull(text),
    }),
  ),
  created_at: moment,
  started_at: orNull(moment),
  completed_at: orNull(moment),
  expires_at: moment,
  deleted_at: orNull(moment),
});

const taskTry = schemaOf<ReturnType<typeof taskTryResource>>({
  object: constant('admin.task_try'),
  number: count,
  provider: text,
  upstream_model: text,
  vendor_task_id: orNull(text),
  submissions: described(count, 'How often it was sent.'),
  outcome: described(orNull(oneOf(tryOutcomes)), 'Null while it is being sent.'),
  detail: described(orNull(text), 'What the vendor said.'),
  vendor_cost: described(orNull(text), 'A decimal number; null while it is not known.'),
  vendor_currency: orNull(text),
  cost_source: described(
    orNull(oneOf(['reported', 'calculated'])),
    'Whether the vendor told it, or what it is counted by; or it was calculated.',
  ),
  created_at: moment,
  submitted_at: described(moment, 'When it was sent last.'),
  accepted_at: orNull(moment),
  ended_at: orNull(moment),
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
  invariants: listOf(oneOf(invariantNames)),
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
    before: schemaOf<ReturnType<typeof balanceResource>>(balance),
    after: schemaOf<ReturnType<typeof balanceResource>>(balance),
  }),
  AdminLedgerEntryList: pageOf(entry),
  AdminTaskList: pageOf(task),
  AdminTaskTryList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(taskTry),
  }),
  AdminCallbackSecret: also(resourceSchemas['CallbackSecret'], { account_id: text }),
  QueueList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(queue),
  }),
  BillingVerification: verification,
  MarginReport: marginSchema,
};
