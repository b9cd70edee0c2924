import type { Body, Filter, Item, Query, Result } from './document-types.ts';

/** The videos of all accounts, as an operator's list shows them. */
export type Task = Item<Result<'adminListTasks'>>;
export type TaskPage = Result<'adminListTasks'>;
export type TaskFilter = Filter<'adminListTasks'>;
/** A status that a video of any account has taken. */
export type TaskEvent = Item<Result<'adminListEvents'>>;
export type TaskDetail = Result<'adminGetTask'>;
export type TaskTry = TaskDetail['tries'][number];
export type OperatorAttempt = Item<Result<'adminListCallbacks'>>;
/** Where the callback of a video of any account stands. */
export type OperatorCallback = Item<Result<'adminListAllCallbacks'>>;
export type OperatorCallbackFilter = Filter<'adminListAllCallbacks'>;
export type OperatorRedeliveryRequest = Body<'adminRedeliverMany'>;
export type Account = Result<'adminGetAccount'>;
export type NewAccount = Result<'adminCreateAccount'>;
export type AccountRequest = Body<'adminCreateAccount'>;
export type AccountPatch = Body<'adminChangeAccount'>;
export type AccountKey = Item<Result<'adminListKeys'>>;
export type NewAccountKey = Result<'adminCreateKey'>;
export type AccountKeyRequest = Body<'adminCreateKey'>;
export type AccountKeyPatch = Body<'adminChangeKey'>;
export type TopUp = Result<'adminTopUp'>;
export type TopUpRequest = Body<'adminTopUp'>;
export type Adjustment = Result<'adminAdjust'>;
export type AdjustmentRequest = Body<'adminAdjust'>;
export type AccountEntry = Item<Result<'adminListLedger'>>;
export type AccountUsage = Result<'adminListUsage'>;
export type AccountUsageFilter = Query<'adminListUsage'>;
/** Providers, text routes, late work and replicas as they are now. */
export type GatewayStatus = Result<'adminReadStatus'>;
export type ProviderStatus = GatewayStatus['providers'][number];
export type Replica = GatewayStatus['replicas'][number];
/** Vendor work that nobody is billed for. */
export type Exposure = Item<Result<'adminListExposures'>>;
export type ExposureFilter = Filter<'adminListExposures'>;
export type QueueCount = Item<Result<'adminListQueues'>>;
export type BillingVerification = Result<'adminVerifyBilling'>;
export type MarginReport = Result<'adminReadMargin'>;
export type GoneRoute = Item<Result<'adminListGoneRoutes'>>;
export type RouteRequest = Body<'adminRetryRoute'>;
export type RouteRetry = Result<'adminRetryRoute'>;
export type OperatorAction = Item<Result<'adminReadJournal'>>;
export type JournalFilter = Filter<'adminReadJournal'>;
