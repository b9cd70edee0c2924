import type { PollPace } from '@gateway/domain';
import type { VideoProvider } from '@gateway/video-providers';
import type { CheckPlan } from './plan.ts';

export interface CheckStep {
  readonly step: string;
  /** Skipped: the format has nothing to check there. */
  readonly status: 'ok' | 'differs' | 'skipped';
  readonly detail: string;
}

export type Verdict = readonly [status: CheckStep['status'], detail: string];

export interface FetchedFile {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

export interface CheckPorts {
  readonly provider: VideoProvider;
  readonly pace: PollPace;
  /** Rejects for what cannot be fetched. */
  readonly fetchFile: (url: string, signal: AbortSignal) => Promise<FetchedFile>;
  readonly showProgress: (line: string) => void;
  /** Resolves early when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
}

/** What the steps share. */
export interface Running extends CheckPorts {
  readonly plan: CheckPlan;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  readonly note: (step: string, status: CheckStep['status'], detail: string) => void;
}
