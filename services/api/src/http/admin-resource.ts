import type {
  AccountBalance,
  AccountOverview,
  Adjusted,
  Adjustment,
  KeyOverview,
  LedgerEntry,
  TaskOverview,
  TaskTry,
} from '@gateway/store';

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

export const accountResource = ({
  id,
  name,
  createdAt,
  balanceQuota,
  heldQuota,
  debtQuota,
  activeVideos,
  activeKeys,
  suspendedAt,
}: AccountOverview) => ({
  id,
  object: 'account',
  name,
  balance_quota: balanceQuota,
  held_quota: heldQuota,
  available_quota: balanceQuota - heldQuota,
  debt_quota: debtQuota,
  active_videos: activeVideos,
  active_keys: activeKeys,
  suspended: suspendedAt !== null,
  suspended_at: timeOf(suspendedAt),
  created_at: createdAt.toISOString(),
});

export const keyResource = (key: KeyOverview) => ({
  id: key.id,
  object: 'api_key',
  account_id: key.accountId,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  models: key.models.length === 0 ? null : key.models,
  requests_per_minute: key.requestsPerMinute,
  created_at: key.createdAt.toISOString(),
  expires_at: timeOf(key.expiresAt),
  revoked_at: timeOf(key.revokedAt),
  last_used_at: timeOf(key.lastUsedAt),
});

export const balanceResource = ({
  balanceQuota,
  heldQuota,
  availableQuota,
  debtQuota,
}: AccountBalance) => ({
  balance_quota: balanceQuota,
  held_quota: heldQuota,
  available_quota: availableQuota,
  debt_quota: debtQuota,
});

export const adjustmentResource = (
  { accountId, quota, note, taskId }: Adjustment,
  { outcome, before, after }: Adjusted,
  isDryRun: boolean,
) => ({
  object: 'adjustment',
  account_id: accountId,
  quota,
  adjusted_quota: outcome === 'adjusted' ? quota : 0,
  note,
  task_id: taskId,
  dry_run: isDryRun,
  before: balanceResource(before),
  after: balanceResource(after),
});

export const adminEntryResource = (entry: LedgerEntry) => ({
  id: entry.id,
  object: 'ledger_entry',
  kind: entry.kind,
  task_id: entry.taskId,
  quota: entry.quota,
  balance_after: entry.balanceAfter,
  held_after: entry.heldAfter,
  note: entry.note,
  created_at: entry.createdAt.toISOString(),
});

export const adminTaskResource = (task: TaskOverview) => ({
  id: task.id,
  object: 'admin.task',
  account_id: task.accountId,
  request_id: task.requestId,
  model: task.model,
  provider: task.provider,
  vendor_task_id: task.vendorTaskId,
  status: task.status,
  step: task.step,
  step_failures: task.stepFailures,
  max_billing_quota: task.maxQuota,
  billed_quota: task.billedQuota,
  error:
    task.failureCode === null ? null : { code: task.failureCode, message: task.failureMessage },
  created_at: task.createdAt.toISOString(),
  started_at: timeOf(task.startedAt),
  completed_at: timeOf(task.completedAt),
  expires_at: task.expiresAt.toISOString(),
  deleted_at: timeOf(task.deletedAt),
});

export const taskTryResource = (one: TaskTry) => ({
  object: 'admin.task_try',
  number: one.number,
  provider: one.provider,
  upstream_model: one.upstreamModel,
  vendor_task_id: one.vendorTaskId,
  submissions: one.submissions,
  outcome: one.outcome,
  detail: one.detail,
  vendor_cost: one.vendorCost,
  vendor_currency: one.vendorCurrency,
  cost_source: one.costSource,
  created_at: one.createdAt.toISOString(),
  submitted_at: one.submittedAt.toISOString(),
  accepted_at: timeOf(one.acceptedAt),
  ended_at: timeOf(one.endedAt),
});
