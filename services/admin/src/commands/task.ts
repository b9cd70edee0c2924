import type { CallbackSummary, TaskDetails, TaskOverview } from '@gateway/store';
import { UsageError, type Command } from '../command.ts';
import { tryLine } from './tries.ts';
import { taskIdOf, video } from './video-argument.ts';

export const taskShow: Command = {
  help: 'Show everything about a task but what its customer wrote',
  example: 'task show video_…',
  argument: video,
  options: {},
  async run(values, { taskDetails, callbackDeliveries, now }) {
    const taskId = taskIdOf(values);
    const details = await taskDetails.find(taskId);
    if (details === undefined) throw new UsageError(`task ${taskId} does not exist`);
    const callback = await callbackDeliveries.summary(taskId);
    return {
      ok: true,
      lines: linesOf(details, callback, now()),
      data: { ...details, callback: callback ?? null },
    };
  },
};

export const taskCancel: Command = {
  help: 'Cancel the task of a customer: at once, or by asking its vendor; exit code 1 if it is too late',
  example: 'task cancel video_…',
  argument: video,
  options: {},
  async run(values, { taskDetails, actions }) {
    const taskId = taskIdOf(values);
    const details = await taskDetails.find(taskId);
    if (details === undefined) throw new UsageError(`task ${taskId} does not exist`);
    const { accountId, status } = details.overview;
    // Hold, push and vendor are left to the sweeps of the services: a command wakes nobody.
    const outcome =
      (await actions.cancelUnsubmitted(taskId, accountId)) !== undefined
        ? 'cancelled'
        : (await actions.requestCancel(taskId, accountId)) !== undefined
          ? 'requested'
          : 'too_late';
    return {
      ok: outcome !== 'too_late',
      lines: [said[outcome](taskId, status)],
      data: { task_id: taskId, outcome },
    };
  },
};

const said = {
  cancelled: (taskId: string) => `${taskId} is cancelled, no vendor had it`,
  requested: (taskId: string) =>
    `the vendor of ${taskId} will be asked to cancel it; task show tells what came of it`,
  too_late: (taskId: string, status: string) => `${taskId} cannot be cancelled any more: ${status}`,
} as const;

function linesOf(
  { overview, task, keyId, isArchived, events, tries, hold, exposures }: TaskDetails,
  callback: CallbackSummary | undefined,
  now: Date,
): string[] {
  return [
    `${overview.id}  ${standingOf(overview, now)}${isArchived ? ', archived' : ''}`,
    `account   ${overview.accountId}, key ${keyId}, request ${overview.requestId}`,
    `route     ${overview.model} at ${overview.provider}/${task.vendor.upstreamModel}, vendor task ${overview.vendorTaskId ?? 'none'}`,
    ...(overview.failureCode === null
      ? []
      : [`failure   ${overview.failureCode}: ${overview.failureMessage ?? ''}`]),
    ...(task.cancelRequestedAt === null
      ? []
      : [`cancel    asked for at ${task.cancelRequestedAt.toISOString()}`]),
    hold === undefined
      ? 'hold      not kept any more'
      : `hold      ${hold.quota} quota, ${hold.state}${hold.chargedQuota === null ? '' : `, ${hold.chargedQuota} charged`}`,
    ...events.map(
      ({ sequence, status, at }) => `event     ${sequence}  ${at.toISOString()}  ${status}`,
    ),
    ...(tries.length === 0 ? ['try       none: it was never sent to a vendor'] : []),
    ...tries.map((one) => `try       ${tryLine(one)}`),
    ...(callback === undefined ? [] : [`callback  ${callbackLine(callback)}`]),
    ...exposures.map(
      ({ kind, provider, vendorTaskId, detail }) =>
        `exposure  ${kind} at ${provider}, vendor task ${vendorTaskId ?? 'unknown'}: ${detail}`,
    ),
  ];
}

const callbackLine = ({ state, stopReason, failures, pendingPushes }: CallbackSummary): string =>
  `${state}${stopReason === null ? '' : ` (${stopReason})`}, ${failures} failures in a row, ${pendingPushes} pushes pending`;

/** Where a task stands, since when, and until when it may go on. */
export const standingOf = (
  { status, step, stepFailures, createdAt, expiresAt, completedAt }: TaskOverview,
  now: Date,
): string =>
  [
    completedAt === null ? `${status} (${step})` : status,
    `${ageOf(createdAt, now)} old`,
    ...(completedAt === null ? [deadlineOf(expiresAt, now)] : []),
    ...(stepFailures === 0 ? [] : [`${stepFailures} failures in a row`]),
  ].join(', ');

const deadlineOf = (expiresAt: Date, now: Date): string =>
  expiresAt > now
    ? `deadline in ${ageOf(now, expiresAt)}`
    : `deadline passed ${ageOf(expiresAt, now)} ago`;

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** In its largest unit, as `--older-than` takes it. */
function ageOf(since: Date, until: Date): string {
  const seconds = Math.max(0, Math.round((until.getTime() - since.getTime()) / 1_000));
  const [unit, size] = units.find(([, one]) => seconds >= one) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
