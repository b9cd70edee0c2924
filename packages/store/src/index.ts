export {
  createAccountReads,
  type AccountOverview,
  type AccountReads,
  type KeyOverview,
} from './accounts/account-reads.ts';
export { createAccounts, type Accounts, type KeyRecord, type NewKey } from './accounts/accounts.ts';
export {
  createAdministration,
  hashOfKey,
  keyScopes,
  usualKeyScopes,
  type Administration,
  type KeyScope,
} from './accounts/administration.ts';
export { createKeyUses, type KeyUse, type KeyUses } from './accounts/key-uses.ts';
export {
  createAssets,
  type Asset,
  type AssetDraft,
  type AssetFacts,
  type Assets,
} from './assets/assets.ts';
export { createDueWork, type Due, type DueWork } from './audit/due-work.ts';
export type { Violation } from './audit/full-audit.ts';
export {
  createRecordedAudit,
  type AuditProgress,
  type RecordedAudit,
} from './audit/recorded-audit.ts';
export {
  createRunningAudit,
  type AuditRound,
  type AuditState,
  type RunningAudit,
} from './audit/running-audit.ts';
export { invariantNames } from './audit/invariants/index.ts';
export {
  createCallbacks,
  type CallbackClaim,
  type CallbackSnapshot,
  type Callbacks,
  type ClaimedCallback,
  type PendingPush,
} from './callbacks/callback-claims.ts';
export {
  createCallbackDeliveries,
  type CallbackDeliveries,
  type CallbackSummary,
  type LoggedAttempt,
} from './callbacks/callback-deliveries.ts';
export {
  createCallbackRecords,
  type AttemptTrigger,
  type CallbackAttempt,
  type CallbackProgress,
  type CallbackRecords,
  type RecordAttempt,
  type Recorded,
} from './callbacks/callback-records.ts';
export {
  createCallbackSecrets,
  newCallbackSecret,
  type CallbackSecrets,
  type ValidSecret,
} from './callbacks/callback-secrets.ts';
export type {
  DueOfAccount,
  DuePage,
  WaitingCallback,
  WaitingRequest,
} from './callbacks/due-callbacks.ts';
export { createDataKeeping, type DataKeeping, type PartitionState } from './data/data-keeping.ts';
export { readDatabaseFacts, type DatabaseFacts } from './database/database-facts.ts';
export { createNamedFiles, type NamedFiles } from './audit/named-files.ts';
export { createDatabase, type Database, type DatabaseOptions } from './database/database.ts';
export type { Page, PageCursors } from './database/page.ts';
export {
  createInstallation,
  type Installation,
  type SweepAllowance,
} from './installation/installation.ts';
export {
  createAdjustments,
  expectedAfter,
  judgeAdjustment,
  type Adjusted,
  type Adjustment,
  type AdjustmentOutcome,
  type Adjustments,
} from './money/adjustments.ts';
export { createHolds, type Holds } from './money/holds.ts';
export {
  createLedgerReads,
  ledgerKinds,
  type LedgerEntry,
  type LedgerReads,
  type Statement,
} from './money/ledger-reads.ts';
export { createLedger, type AccountBalance, type Ledger } from './money/ledger.ts';
export {
  createTextLeases,
  type AbandonedLease,
  type LeaseAsk,
  type LeaseState,
  type TextLeases,
} from './money/text-leases.ts';
export {
  createStoredResponseReads,
  type ItemPage,
  type StoredResponseReads,
} from './stored-responses/stored-response-reads.ts';
export {
  createStoredResponses,
  type NewStoredResponse,
  type StoredItem,
  type StoredResponses,
} from './stored-responses/stored-responses.ts';
export type { IdempotencyClaim } from './tasks/idempotency-keys.ts';
export {
  createRetention,
  type Orphan,
  type PurgedFile,
  type Retention,
} from './tasks/media-retention.ts';
export { createMarginReads, type MarginReads } from './money/margin-reads.ts';
export { createTaskCreation, type InsertedTask, type TaskCreation } from './tasks/task-creation.ts';
export { createTaskEndings, type TaskEndings } from './tasks/task-endings.ts';
export {
  createTaskLists,
  type FollowedTask,
  type QueuePosition,
  type TaskEventRecord,
  type TaskLists,
  type TaskNews,
} from './tasks/task-lists.ts';
export {
  createTaskMoves,
  type AdmissionLimits,
  type PuttingOff,
  type TaskChanges,
  type TaskMoves,
} from './tasks/task-moves.ts';
export { exposureKinds, hasLostOutput, type Exposure, type VendorCost } from './tasks/exposures.ts';
export {
  createTaskOverviews,
  type TaskOverview,
  type TaskOverviews,
} from './tasks/task-overviews.ts';
export { createTaskReads, type MediaRecord, type TaskReads } from './tasks/task-reads.ts';
export { createTaskTries, type TaskTries, type TaskTry } from './tasks/task-tries.ts';
export {
  createVendorTasks,
  type SentTask,
  type Standing,
  type VendorTasks,
} from './tasks/vendor-tasks.ts';
export { createTaskTraces } from './tasks/task-traces.ts';
export { createWork, type Work } from './tasks/unfinished-tasks.ts';
export { createMetering, type Metering } from './text-usage/metering.ts';
export { createUsageOutbox, type UsageOutbox } from './text-usage/usage-outbox.ts';
export { createUsageReads, type UsageDay, type UsageReads } from './text-usage/usage-reads.ts';
export { createUsageRecovery, type UsageRecovery } from './text-usage/usage-recovery.ts';
