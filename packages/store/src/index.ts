export {
  createAccountReads,
  type AccountOverview,
  type AccountReads,
  type KeyOverview,
} from './accounts/account-reads.ts';
export {
  openAccessChanges,
  type AccessChanges,
  type AccessChangesOptions,
} from './accounts/access-changes.ts';
export { createOwnKeys, type OwnKeys } from './accounts/own-keys.ts';
export { createAccounts, type Accounts, type KeyRecord, type NewKey } from './accounts/accounts.ts';
export {
  createAdministration,
  hashOfKey,
  keyScopes,
  newKey,
  usualKeyScopes,
  type Administration,
  type KeyScope,
} from './accounts/administration.ts';
export {
  createJournal,
  createOperatorActions,
  operatorActionKinds,
  type Journal,
  type OperatorAction,
  type OperatorActions,
} from './accounts/operator-actions.ts';
export { createKeyUses, type KeyUse, type KeyUses } from './accounts/key-uses.ts';
export {
  createSessions,
  operatorOwner,
  type SessionKey,
  type SessionRecord,
  type Sessions,
} from './accounts/sessions.ts';
export {
  createAgentBudgets,
  type AgentBudget,
  type AgentBudgets,
  type BudgetHold,
  type BudgetUse,
} from './accounts/agent-budgets.ts';
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
  type EndpointSummary,
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
export { createEndpoints, type Endpoint, type Endpoints } from './callbacks/endpoints.ts';
export { endpointPushes, tablesOf, taskPushes, type PushTables } from './callbacks/push-tables.ts';
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
export type { LookedThrough } from './database/looked-through.ts';
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
export type { HoldOrder } from './money/take-holds.ts';
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
  type OpenLease,
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
export {
  createGoneModels,
  type GoneModel,
  type GoneModels,
  type RouteName,
} from './tasks/gone-models.ts';
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
  createTaskCallbacks,
  type TaskCallback,
  type TaskCallbacks,
} from './callbacks/task-callbacks.ts';
export {
  createEventFeed,
  type AnyEvent,
  type EventFeed,
  type FeedEvent,
} from './tasks/event-feed.ts';
export {
  createOperatorFeed,
  type OperatorEvent,
  type OperatorFeed,
} from './tasks/operator-feed.ts';
export {
  createTaskTimelines,
  type TaskTimeline,
  type TaskTimelines,
} from './tasks/task-timelines.ts';
export type { TaskPageQuestion } from './tasks/listed-tasks.ts';
export type { SearchedPage, TaskSearch } from './tasks/searched-tasks.ts';
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
export { createSourceVideos, type SourceVideo, type SourceVideos } from './tasks/source-videos.ts';
export { createTaskReads, type MediaRecord, type TaskReads } from './tasks/task-reads.ts';
export {
  createRouteChanges,
  type NothingMade,
  type RouteChange,
  type RouteChanges,
} from './tasks/route-changes.ts';
export { createTaskDetails, type TaskDetailReads, type TaskDetails } from './tasks/task-details.ts';
export { createExposureLists, type ExposureLists } from './tasks/exposure-lists.ts';
export { createReplicaReports, type ReplicaReports } from './installation/replica-reports.ts';
export { createStatusReads, type StatusReads } from './installation/status-reads.ts';
export { createTaskTries, type TaskTries, type TaskTry } from './tasks/task-tries.ts';
export {
  createVendorTasks,
  type SentTask,
  type ComparedTask,
  type VendorTasks,
} from './tasks/vendor-tasks.ts';
export { createTaskTraces } from './tasks/task-traces.ts';
export { createWork, type Work } from './tasks/unfinished-tasks.ts';
export { createMetering, type Metering } from './text-usage/metering.ts';
export { createUsageOutbox, type UsageOutbox } from './text-usage/usage-outbox.ts';
export {
  createUsageReads,
  type UsageDay,
  type UsageHour,
  type UsageQuestion,
  type UsageReads,
} from './text-usage/usage-reads.ts';
export { createUsageRecovery, type UsageRecovery } from './text-usage/usage-recovery.ts';
