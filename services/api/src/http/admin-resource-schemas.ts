import { shapes, type Schema } from '@gateway/contracts';
import { taskFailures, taskStatuses, taskSteps } from '@gateway/domain';
import { invariantNames, keyScopes, ledgerKinds, type Violation } from '@gateway/store';
import type { QueueCount } from '@gateway/queue';
import type {
  accountResource,
  adminEntryResource,
  adminTaskResource,
  balanceResource,
  keyResource,
} from './admin-resource.ts';
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
  active_videos: described(count, 'Unfinished tasks.'),
  active_keys: count,
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
  exposures: schemaOf<Record<'late_success' | 'submission_unknown' | 'orphan', number>>({
    late_success: count,
    submission_unknown: count,
    orphan: count,
  }),
});

/** What operators are answered: the components of the document. */
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
  AdminLedgerEntryList: pageOf(entry),
  AdminTaskList: pageOf(task),
  AdminCallbackSecret: also(resourceSchemas['CallbackSecret'], { account_id: text }),
  QueueList: schemaOf<{ object: 'list'; data: unknown[] }>({
    object: constant('list'),
    data: listOf(queue),
  }),
  BillingVerification: verification,
};
