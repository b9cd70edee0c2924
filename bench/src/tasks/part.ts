import type { Figure, Table } from '../report.ts';
import type { TasksOptions } from './options.ts';

export interface TasksBench {
  readonly options: TasksOptions;
  /** Progress, for people. */
  say(line: string): void;
}

export interface PartResult {
  readonly tables?: readonly Table[];
  readonly figures: readonly Figure[];
  /** What was done, and what went wrong. */
  readonly notes: readonly string[];
}

export type Part = (bench: TasksBench) => Promise<PartResult>;
