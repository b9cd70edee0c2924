import type { TaskTry } from '@gateway/store';
import type { Command } from '../command.ts';
import { taskIdOf, video } from './video-argument.ts';

export const taskTries: Command = {
  help: 'Show to whom a task was sent, and what came of it',
  example: 'tries video_…',
  argument: video,
  options: {},
  async run(values, { taskTries: reads }) {
    const taskId = taskIdOf(values);
    const tries = await reads.ofTask(taskId);
    return {
      ok: true,
      lines: tries.length === 0 ? ['it was never sent to a vendor'] : tries.map(tryLine),
      data: { task_id: taskId, tries },
    };
  },
};

/** One try on a line. */
export const tryLine = ({
  number,
  provider,
  upstreamModel,
  vendorTaskId,
  submissions,
  outcome,
  detail,
  submittedAt,
  endedAt,
  leftBecause,
}: TaskTry): string =>
  [
    `${number}`,
    `${provider}/${upstreamModel}`,
    outcome ?? 'being sent',
    vendorTaskId ?? 'no vendor task',
    submissions === 0
      ? 'never sent'
      : `sent ${submissions === 1 ? 'once' : `${submissions} times`}, last at ${submittedAt.toISOString()}`,
    endedAt === null ? 'open' : `ended at ${endedAt.toISOString()}`,
    leftBecause === null ? '' : `left: ${leftBecause}`,
    detail ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');
