export * from './account-reads.ts';
export * from './accounts.ts';
export * from './administration.ts';
export * from './callback-deliveries.ts';
export * from './callback-secrets.ts';
export * from './assets.ts';
export * from './callbacks-record.ts';
export * from './callbacks.ts';
export { createDatabase, type Database, type DatabaseOptions } from './database.ts';
export * from './diagnostics.ts';
export * from './due-work.ts';
export * from './holds.ts';
export { invariantNames } from './invariants.ts';
export * from './key-uses.ts';
export * from './ledger-reads.ts';
export {
  createLedger,
  type AccountBalance,
  type KeyedTopUp,
  type Ledger,
  type ToppedUp,
  type Violation,
} from './ledger.ts';
export type { Page, PageCursors } from './page.ts';
export * from './retention.ts';
export * from './task-creation.ts';
export * from './task-endings.ts';
export * from './task-lists.ts';
export * from './task-moves.ts';
export * from './task-overview.ts';
export * from './task-reads.ts';
export * from './metering.ts';
export { secretSealOf, SecretSealError, type SecretSeal } from './secret-seal.ts';
export * from './task-traces.ts';
export * from './usage-outbox.ts';
export * from './usage-reads.ts';
export * from './usage-recovery.ts';
export * from './work.ts';
