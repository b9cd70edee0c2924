import type {
  AccountBalance,
  AccountOverview,
  KeyOverview,
  LedgerEntry,
  TaskOverview,
} from '@gateway/store';
import { entryId } from '../use-cases/entry-id.ts';

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

export const accountResource = ({
  id,
  name,
  createdAt,
  balanceQuota,
  heldQuota,
  activeVideos,
  activeKeys,
}: AccountOverview) => ({
  id,
  object: 'account',
  name,
  balance_quota: balanceQuota,
  held_quota: heldQuota,
  available_quota: balanceQuota - heldQuota,
  active_videos: activeVideos,
  active_keys: activeKeys,
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

export const balanceResource = ({ balanceQuota, heldQuota, availableQuota }: AccountBalance) => ({
  balance_quota: balanceQuota,
  held_quota: heldQuota,
  available_quota: availableQuota,
});

export const adminEntryResource = (entry: LedgerEntry) => ({
  id: entryId(entry.number),
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
