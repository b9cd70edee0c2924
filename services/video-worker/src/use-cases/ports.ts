import type { StoredMedia, Task, TaskResult, VendorOutput } from '@gateway/contracts';
import type { PollPace, TaskEvent, TaskFailure, TaskStep } from '@gateway/domain';
import type { VideoProvider } from '@gateway/video-providers';

/**
 * What a step of a task came to: the task moved and is looked at again at once, it waits, or it is
 * over.
 */
export type StepOutcome =
  | { readonly kind: 'moved' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  | { readonly kind: 'over' };

export const moved: StepOutcome = { kind: 'moved' };
export const over: StepOutcome = { kind: 'over' };
export const wait = (afterMs: number): StepOutcome => ({ kind: 'wait', afterMs });

export interface Changes {
  readonly step: TaskStep;
  readonly vendorTaskId?: string;
  readonly vendorOutput?: VendorOutput;
  readonly stepFailures?: number;
  readonly failure?: TaskFailure;
  readonly result?: TaskResult;
  readonly billed?: { readonly seconds: number; readonly quota: number };
  readonly cancelRefused?: true;
}

export interface ExposureNote {
  readonly kind: 'late_success' | 'submission_unknown' | 'orphan';
  readonly vendorTaskId: string | null;
  readonly detail: string;
}

/**
 * The worker's writes. Each carries the epoch of the task it was given; undefined means somebody
 * else moved first.
 */
export interface Moves {
  readonly stay: (task: Task, changes: Changes) => Promise<Task | undefined>;
  readonly claimSubmission: (task: Task) => Promise<Task | 'lost'>;
  /** Also wakes whoever must know: the dispatcher, and billing at the end. */
  readonly move: (
    task: Task,
    event: TaskEvent,
    change: { readonly changes: Changes; readonly media?: readonly StoredMedia[] },
  ) => Promise<Task | undefined>;
  /** The vendor's id that the row has now. */
  readonly vendorTaskIdOf: (taskId: string) => Promise<string | null>;
  readonly closeLate: (task: Task) => Promise<void>;
  readonly recordExposure: (task: Task, note: ExposureNote) => Promise<void>;
}

/** Leave to call a vendor now, or how long to wait before asking again. */
export type Turn =
  { readonly granted: true } | { readonly granted: false; readonly afterMs: number };

/** A vendor as one task uses it. */
export interface Vendor {
  /** Its looks, listings and cancellations keep to the vendor's request rate. */
  readonly provider: VideoProvider;
  /** Waits for leave to create a task there, before the intent is committed. */
  readonly turnToCreate: () => Promise<Turn>;
  /** Waits for leave to look at many tasks at once; of a vendor that can be asked so. */
  readonly turnToPollMany?: () => Promise<Turn>;
  readonly requestsPerSecond: number;
  readonly pace: PollPace;
}

export interface Clock {
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
