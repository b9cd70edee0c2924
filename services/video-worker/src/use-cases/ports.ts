import type { Task, VendorOutput, VendorUsage } from '@gateway/contracts';
import type { PollPace, TaskEvent } from '@gateway/domain';
import type { Exposure, RouteChanges, TaskMoves } from '@gateway/store';
import type { SubmitOutcome, VideoProvider } from '@gateway/video-providers';

/**
 * The outcome of one step: the task moved and the next step is due at once, it waits, or it is over.
 */
export type StepOutcome =
  | { readonly kind: 'moved' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  | { readonly kind: 'over' };

export const moved: StepOutcome = { kind: 'moved' };
export const over: StepOutcome = { kind: 'over' };
export const wait = (afterMs: number): StepOutcome => ({ kind: 'wait', afterMs });

/**
 * The worker's writes. Each carries the epoch of the task it was given; undefined means somebody
 * else moved first. `move` also wakes whoever must know: the dispatcher, and billing at the end.
 */
export interface Moves
  extends
    Pick<TaskMoves, 'stay' | 'claimSubmission' | 'putOff' | 'giveBackSlot' | 'closeLate'>,
    RouteChanges {
  readonly move: (
    task: Task,
    event: TaskEvent,
    change: Omit<Parameters<TaskMoves['move']>[2], 'cost'> & {
      /** Of a task that failed, what the vendor says that it charges all the same. */
      readonly usage?: VendorUsage | undefined;
    },
  ) => Promise<Task | undefined>;
  /** The vendor's id that the row has now. */
  readonly vendorTaskIdOf: (taskId: string) => Promise<string | null>;
  readonly recordExposure: (
    task: Task,
    exposure: Omit<Exposure, 'taskId' | 'provider' | 'cost'> & {
      /** What the vendor says that it made, where it says so. */
      readonly output?: Partial<VendorOutput> | undefined;
    },
  ) => Promise<void>;
}

/** Permission to call a vendor now, or how long to wait before asking again. */
export type Permit =
  { readonly granted: true } | { readonly granted: false; readonly afterMs: number };

/**
 * The circuit breaker before a vendor, as one task meets it. `back_in_queue`: nobody gets a slot
 * before its pause has ended, so the task waits without one. `wait`: it keeps its slot and asks again
 * after `afterMs`; `isOpen` where nobody is served before a pause has ended.
 */
export type Hindrance =
  | { readonly kind: 'back_in_queue' }
  | { readonly kind: 'wait'; readonly afterMs: number; readonly isOpen?: true };

/** Leave for one submission, to be ended in any case. */
export interface SubmissionPermit {
  readonly kind: 'granted';
  /** How the submission ended; without it, it says nothing about the vendor. */
  readonly report: (outcome: SubmitOutcome) => void;
  readonly end: () => void;
}

export interface SubmissionGate {
  /** What keeps this task from being submitted now; takes nothing. */
  readonly hindrance: (task: Task) => Hindrance | undefined;
  /** Takes leave for one submission. As a probe it asks the vendor first, where that is free. */
  readonly enter: (task: Task, signal: AbortSignal) => Promise<SubmissionPermit | Hindrance>;
  /**
   * After a submission whose outcome is unknown, and which cannot be looked up: asks the vendor
   * whether it serves, where that is free, and keeps others from it where it does not.
   */
  readonly inquire: (task: Task, signal: AbortSignal) => Promise<void>;
}

/** A vendor as one task uses it. */
export interface Vendor {
  /** Its polls, listings and cancellations keep to the vendor's request rate. */
  readonly provider: VideoProvider;
  /** Waits until a task may be created there, before the intent is committed. */
  readonly permitToCreate: () => Promise<Permit>;
  /** Waits until a batch poll may be sent; present for a vendor that has one. */
  readonly permitToPollMany?: () => Promise<Permit>;
  readonly requestsPerSecond: number;
  readonly pace: PollPace;
}

export interface Clock {
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
