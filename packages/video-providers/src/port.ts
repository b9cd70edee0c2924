import type {
  MediaKind,
  OptionalField,
  ReferenceRole,
  RequestedOptions,
  VendorCapabilities,
  VendorOutput,
  VendorUsage,
} from '@gateway/contracts';
import type { TaskFailureCode } from '@gateway/domain';
import type { MayDrift } from './drift.ts';
import type { VendorClient, VendorClientOptions } from './http.ts';

export type { VendorOutput, VendorUsage };

/**
 * What a vendor is asked to render: the normalised request with every reference as something the
 * vendor can read.
 */
export interface Submission extends RequestedOptions {
  /**
   * Opaque text, at most 64 characters, by which the task can be found at the vendor again; ours,
   * unique for each task.
   */
  readonly correlation: string;
  readonly upstreamModel: string;
  readonly prompt: string;
  readonly references: readonly {
    readonly kind: MediaKind;
    readonly role: ReferenceRole;
    readonly url: string;
  }[];
  readonly ratio: string;
  /** Whole seconds, or -1 where the vendor decides. */
  readonly duration: number;
  readonly resolution: string;
  readonly watermark: boolean;
  readonly seed: number | null;
  readonly generateAudio: boolean;
  readonly returnLastFrame: boolean;
  /** Fields that this model does not know: left out of the request. */
  readonly unsupported: readonly OptionalField[];
  /** Seconds until our own deadline. */
  readonly expiresAfterSeconds: number;
}

/**
 * How the one call that creates a task at the vendor ended. `not_sent`, `busy` and `unavailable` are
 * sure not to have created anything and may be repeated; `unknown` must not be repeated.
 *
 * `unavailable` is no word about this task: something in front of the vendor refuses (`page`), or the
 * vendor refuses the operator's `account`, or the configured `model`.
 */
export type SubmitOutcome = MayDrift & SubmitOutcomeKind;

type SubmitOutcomeKind =
  | { readonly kind: 'accepted'; readonly vendorTaskId: string }
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'busy'; readonly detail: string; readonly retryAfterMs?: number }
  | {
      readonly kind: 'unavailable';
      readonly cause: 'page' | 'account' | 'model';
      readonly detail: string;
    }
  | {
      readonly kind: 'refused';
      readonly failure: TaskFailureCode;
      readonly reason?: string;
      readonly detail: string;
    }
  | { readonly kind: 'unknown'; readonly detail: string };

/**
 * The response to one poll. An `error` says nothing about the task: it only changes when to poll again.
 */
export type PollOutcome = MayDrift & PollOutcomeKind;

type PollOutcomeKind =
  | { readonly kind: 'pending'; readonly vendorStatus: string }
  | { readonly kind: 'succeeded'; readonly output: VendorOutput }
  | {
      readonly kind: 'failed';
      readonly failure: TaskFailureCode;
      readonly reason?: string;
      readonly detail: string;
      /** Of a failure that the vendor says that it charges for. */
      readonly usage?: VendorUsage;
    }
  | { readonly kind: 'missing'; readonly detail: string }
  | { readonly kind: 'error'; readonly detail: string; readonly retryAfterMs?: number };

/**
 * What a vendor says of many tasks at once. It was asked about the first `asked` of the ids, as
 * many as fit into a request. Of a task without an entry it says nothing: a list lags behind. An
 * `error` says nothing about any.
 */
export type PollManyOutcome =
  | {
      readonly kind: 'answered';
      readonly asked: number;
      readonly outcomes: ReadonlyMap<string, PollOutcome>;
    }
  | { readonly kind: 'error'; readonly detail: string; readonly retryAfterMs?: number };

/** Polls many tasks with one request, of a vendor whose list can be asked for certain ids. */
export interface PollMany {
  /** Ids in one request, at most. */
  readonly maxIds: number;
  /**
   * Requests a second that the vendor takes from one account, apart from its other requests; `find`
   * asks the same list.
   */
  readonly perSecond: number;
  /** One HTTP request. The keys of the response are among the ids. */
  poll(vendorTaskIds: readonly string[], signal: AbortSignal): Promise<PollManyOutcome>;
}

/**
 * The response to "did you create a task for this correlation since then?". `several` is never
 * guessed about. `out_of_reach`: the vendor took so many at that time that not all of them are
 * read; asking again later shows no more.
 */
export type FindOutcome =
  | { readonly kind: 'found'; readonly vendorTaskId: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'out_of_reach'; readonly detail: string }
  | { readonly kind: 'several'; readonly vendorTaskIds: readonly string[] }
  | { readonly kind: 'error'; readonly detail: string; readonly retryAfterMs?: number };

/** A task that the vendor has. */
export interface ListedTask {
  readonly vendorTaskId: string;
  /** What it was sent with; undefined when the vendor does not say. */
  readonly correlation: string | undefined;
}

/** Every task that the vendor took since then; an `error` when it is not sure that they are all. */
export type ListOutcome =
  | { readonly kind: 'listed'; readonly tasks: readonly ListedTask[] }
  | { readonly kind: 'error'; readonly detail: string };

/** The file of a task whose output is inline. */
export type FileOutcome =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'error'; readonly detail: string };

export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_cancellable'; readonly detail: string }
  | { readonly kind: 'error'; readonly detail: string };

/**
 * The response to a question that costs nothing and concerns no task. `serving` is no promise that
 * the next submission is accepted; `unanswered` got no response, or a 5xx.
 */
export type ServingOutcome =
  | { readonly kind: 'serving' }
  | { readonly kind: 'not_serving' | 'unanswered'; readonly detail: string };

/**
 * One vendor account, spoken to in its own wire format. Methods resolve with outcomes and never reject for
 * what a vendor does.
 */
export interface VideoProvider {
  readonly capabilities: VendorCapabilities;
  /** Exactly one HTTP request, never retried underneath. */
  submit(submission: Submission, signal: AbortSignal): Promise<SubmitOutcome>;
  /** One request, and more only for a task that is over: some vendors tell the rest elsewhere. */
  poll(vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome>;
  /** Undefined for a vendor that reports on one task at a time only. */
  readonly pollMany?: PollMany;
  /** Undefined for a vendor that has no means to look a lost submission up. */
  readonly find?: (
    query: { readonly correlation: string; readonly since: Date },
    signal: AbortSignal,
  ) => Promise<FindOutcome>;
  /** Undefined for a vendor whose list does not show what a task was sent with. */
  readonly list?: (query: { readonly since: Date }, signal: AbortSignal) => Promise<ListOutcome>;
  cancel(vendorTaskId: string, signal: AbortSignal): Promise<CancelOutcome>;
  /** Reads the file of an output that is inline. Undefined for a vendor that gives links only. */
  readonly readFile?: (vendorTaskId: string, signal: AbortSignal) => Promise<FileOutcome>;
  /** Undefined for a vendor of which every question costs something. */
  readonly askServing?: (signal: AbortSignal) => Promise<ServingOutcome>;
  /**
   * Headers with the key, of a vendor whose files need it; they are sent to the origin of its base
   * URL only. Undefined where links open by themselves.
   */
  readonly fileHeaders?: Readonly<Record<string, string>>;
}

/** Where a provider finds its vendor, and how long it waits for one response. */
export interface ProviderConnection {
  readonly baseUrl: string;
  /** As it is sent; or what a token is made from, for a vendor that is sent one. */
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** How the vendor is reached; over HTTP when left out. */
  readonly openClient?: (options: VendorClientOptions) => VendorClient;
}
