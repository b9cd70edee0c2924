import type { ProviderSettings } from '@gateway/contracts';
import type { MediaStorage } from '@gateway/media';
import type { QueueCounts } from '@gateway/queue';
import type {
  AccountReads,
  Accounts,
  Adjustments,
  CallbackDeliveries,
  CallbackSecrets,
  DataKeeping,
  ExposureLists,
  GoneModels,
  Installation,
  Journal,
  Ledger,
  LedgerReads,
  MarginReads,
  NamedFiles,
  OperatorActions,
  OperatorFeed,
  RecordedAudit,
  Retention,
  StatusReads,
  TaskCallbacks,
  TaskDetailReads,
  TaskMoves,
  TaskOverviews,
  TaskTries,
  UsageReads,
  VendorTasks,
} from '@gateway/store';
import type { VideoProvider } from '@gateway/video-providers';
import type { Diagnosis } from './doctor/diagnosis.ts';
import type { CheckTarget } from './vendor-check/target.ts';

/** What a command may touch. */
export interface CommandPorts {
  readonly accounts: Pick<
    Accounts,
    'create' | 'createKey' | 'exists' | 'findKeyByHash' | 'revokeKey'
  >;
  /** Journaled. */
  readonly actions: OperatorActions;
  readonly journal: Journal;
  readonly accountReads: Pick<AccountReads, 'find' | 'keys' | 'page'>;
  readonly callbackDeliveries: Pick<
    CallbackDeliveries,
    'attempts' | 'summary' | 'endpointSummaries'
  >;
  readonly taskCallbacks: Pick<TaskCallbacks, 'pageOfAll'>;
  readonly callbackSecrets: Pick<CallbackSecrets, 'rotate' | 'sealAll'>;
  readonly ledger: Pick<Ledger, 'balanceOf' | 'countExposures' | 'topUp' | 'topUpOnce' | 'verify'>;
  readonly adjustments: Adjustments;
  readonly audit: RecordedAudit;
  readonly data: Pick<DataKeeping, 'partitions' | 'sizes'>;
  /** Shows a line that the next one replaces, where a person watches. */
  readonly showProgress: (line: string) => void;
  readonly ledgerReads: Pick<LedgerReads, 'page' | 'statement'>;
  readonly margins: MarginReads;
  /** Of the configuration, where there is one. */
  readonly quotaPerCurrency: () => ReadonlyMap<string, number>;
  readonly exposures: ExposureLists;
  readonly status: StatusReads;
  /** Of the configuration, where there is one. */
  readonly configuredProviders: () => ReadonlyMap<string, ProviderSettings>;
  readonly now: () => Date;
  readonly tasks: Pick<TaskOverviews, 'page'>;
  readonly operatorFeed: Pick<OperatorFeed, 'newest' | 'after'>;
  readonly taskDetails: TaskDetailReads;
  readonly taskTries: TaskTries;
  readonly usageReads: UsageReads;
  readonly taskMoves: Pick<TaskMoves, 'move' | 'stay' | 'recordExposure'>;
  readonly vendorTasks: VendorTasks;
  readonly goneModels: Pick<GoneModels, 'all' | 'forget'>;
  /** The providers of videos that the configuration names. Throws where there is none. */
  readonly videoProviders: () => ReadonlyMap<string, VideoProvider>;
  /** A provider by its name; undefined where there is none of videos. Throws without a configuration. */
  readonly checkTarget: (provider: string) => CheckTarget | undefined;
  /** Says a line before the command has ended, on standard error. */
  readonly say: (line: string) => void;
  /** Prints a line of its output before the command has ended. */
  readonly print: (line: string) => void;
  /** Resolves after this time, or at once when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** While this works, Ctrl-C aborts its signal, in place of ending the process. */
  readonly untilInterrupted: <Result>(
    work: (interrupted: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  readonly installation: Installation;
  readonly namedFiles: NamedFiles;
  readonly retention: Pick<Retention, 'findOrphans'>;
  /** Throws for settings that are missing. */
  readonly openStorage: () => Promise<MediaStorage>;
  readonly queueCounts: QueueCounts['read'];
  readonly diagnose: () => Promise<readonly Diagnosis[]>;
  readonly newId: (kind: 'account' | 'key') => string;
}

export interface Option {
  readonly required: boolean;
  readonly help: string;
  /** Takes no value. */
  readonly flag?: boolean;
}

/** `lines` for a person, `data` for a script; `ok` decides the exit code. */
export interface CommandResult {
  readonly ok: boolean;
  /** Everything was printed as it came. */
  readonly isPrinted?: true;
  readonly lines: readonly string[];
  readonly data: object;
}

export interface Command {
  readonly help: string;
  readonly example: string;
  /** The positional argument after the command; `run` gets it under `name`. */
  readonly argument?: { readonly name: string; readonly help: string };
  readonly options: Readonly<Record<string, Option>>;
  /** A flag that was given has the value 'true', `json` too. */
  readonly run: (
    values: Readonly<Record<string, string | undefined>>,
    ports: CommandPorts,
  ) => Promise<CommandResult>;
}

/** A value that a person mistyped: shown with the command's usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The value of an option that `options` marks as required. */
export function required(
  values: Readonly<Record<string, string | undefined>>,
  option: string,
): string {
  const value = values[option];
  if (value === undefined || value === '') throw new UsageError(`--${option} is required`);
  return value;
}
