import { jobs, type JobName, type JobSubject } from '@gateway/contracts';
import type { LogContext } from '@gateway/runtime';

/** Under which name the id of a job is logged. */
const fields = { task: 'taskId', usageBatch: 'batchId' } as const satisfies Record<
  JobSubject,
  keyof LogContext
>;

/** The id of a job as a field of a log line. */
export const subjectOf = (job: JobName, id: string): Pick<LogContext, 'taskId' | 'batchId'> => ({
  [fields[jobs[job].subject]]: id,
});
