import type { Report } from '../report.ts';
import type { TasksOptions } from './options.ts';

export interface TasksBench {
  readonly options: TasksOptions;
  /** Progress, for people. */
  say(line: string): void;
}

export type PartResult = Omit<Report, 'title'> & Required<Pick<Report, 'figures'>>;

export type Part = (bench: TasksBench) => Promise<PartResult>;
