import type {
  AccountBalance,
  AccountOverview,
  Adjusted,
  Adjustment,
  GoneModel,
  KeyOverview,
  LedgerEntry,
  OperatorAction,
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
  activeVideosLimit,
}: AccountOverview) => ({
  id,
  object: 'account',
  name,
  balance_quota: balanceQuota,
  held_quota: heldQuota,
  available_quota: balanceQuota - heldQuota,
  debt_quota: debtQuota,
  active_videos: activeVideos,
  active_videos_limit: activeVideosLimit,
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

export const goneRouteResource = ({
  provider,
  upstreamModel,
  since,
  detail,
  refusals,
  pausedUntil,
}: GoneModel) => ({
  object: 'admin.gone_route',
  provider,
  upstream_model: upstreamModel,
  since: since.toISOString(),
  detail,
  refusals,
  paused_until: pausedUntil.toISOString(),
});

export const operatorActionResource = ({
  id,
  at,
  via,
  action,
  accountId,
  subject,
  details,
}: OperatorAction) => ({
  id: String(id),
  object: 'admin.action',
  at: at.toISOString(),
  via,
  action,
  account_id: accountId,
  subject,
  details,
});
