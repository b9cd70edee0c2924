import type { Directives } from './directives.ts';
import type { VideoSpec } from '../render/video-spec.ts';
import type { Input } from './inputs.ts';
import type { Parameters } from './parameters.ts';

export const taskStatuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const isTerminal = (status: TaskStatus): boolean =>
  status !== 'queued' && status !== 'running';

export interface TaskFailure {
  readonly code: string;
  readonly message: string;
}

/** A finished video and where it can be fetched. */
export interface TaskFile {
  /** The part of the links that nobody can guess. */
  readonly token: string;
  readonly spec: VideoSpec;
  readonly directives: Directives;
  readonly expiresAtMs: number;
}

export interface TaskOutput {
  readonly file: TaskFile;
  readonly videoUrl: string;
  readonly lastFrameUrl?: string;
}

/** One task as the vendor keeps it. */
export interface Task {
  readonly id: string;
  /** The wire format it came in by. */
  readonly format: string;
  readonly model: string;
  /** The model or endpoint id that was sent; list filters name it. */
  readonly requestedModel: string;
  readonly prompt: string;
  readonly directives: Directives;
  readonly parameters: Parameters;
  /** Absent in tasks that an older version wrote. */
  readonly inputs?: readonly Input[];
  readonly callbackUrl?: string;
  /** A fault that the vendor finds only after it has accepted the task. */
  readonly lateProblem?: TaskFailure;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly status: TaskStatus;
  readonly error?: TaskFailure;
  /** The length that a succeeded task reports, in whole seconds. */
  readonly reportedSeconds?: number;
  readonly output?: TaskOutput;
}
