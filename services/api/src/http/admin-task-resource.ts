import type {
  CallbackSummary,
  OperatorEvent,
  TaskDetails,
  TaskOverview,
  TaskTry,
} from '@gateway/store';
import { callbackResource } from './callback-resource.ts';

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** `now`: its age is told by the database's clock. */
export const adminTaskResource = (task: TaskOverview, now: Date) => ({
  id: task.id,
  object: 'admin.task',
  account_id: task.accountId,
  request_id: task.requestId,
  model: task.model,
  provider: task.provider,
  vendor_task_id: task.vendorTaskId,
  status: task.status,
  step: task.step,
  step_failures: task.stepFailures,
  max_billing_quota: task.maxQuota,
  billed_quota: task.billedQuota,
  error:
    task.failureCode === null ? null : { code: task.failureCode, message: task.failureMessage },
  age_seconds: Math.max(0, Math.round((now.getTime() - task.createdAt.getTime()) / 1_000)),
  created_at: task.createdAt.toISOString(),
  started_at: timeOf(task.startedAt),
  completed_at: timeOf(task.completedAt),
  expires_at: task.expiresAt.toISOString(),
  deleted_at: timeOf(task.deletedAt),
});

/** A status that a task took, with the task as it was when this was read. */
export const adminEventResource = (event: OperatorEvent, now: Date) => ({
  object: 'admin.task_event',
  sequence: event.sequence,
  status: event.status,
  created_at: event.at.toISOString(),
  task: adminTaskResource(event.task, now),
});

/** One task with everything about it but what its customer wrote. */
export const adminTaskDetailResource = (
  details: TaskDetails,
  callback: CallbackSummary | undefined,
  now: Date,
) => ({
  ...adminTaskResource(details.overview, now),
  key_id: details.keyId,
  upstream_model: details.task.vendor.upstreamModel,
  admitted_at: timeOf(details.task.admittedAt),
  submitting_at: timeOf(details.task.submittingAt),
  cancel_requested_at: timeOf(details.task.cancelRequestedAt),
  archived: details.isArchived,
  hold: details.hold === undefined ? null : holdResource(details.hold),
  events: details.events.map(({ sequence, status, at }) => ({
    sequence,
    status,
    at: at.toISOString(),
  })),
  tries: details.tries.map(taskTryResource),
  callback: callback === undefined ? null : callbackResource(callback),
  exposures: details.exposures.map(taskExposureResource),
});

export const holdResource = (hold: NonNullable<TaskDetails['hold']>) => ({
  quota: hold.quota,
  state: hold.state,
  charged_quota: hold.chargedQuota,
  created_at: hold.createdAt.toISOString(),
  closed_at: timeOf(hold.closedAt),
});

export const taskExposureResource = (one: TaskDetails['exposures'][number]) => ({
  kind: one.kind,
  provider: one.provider,
  vendor_task_id: one.vendorTaskId,
  detail: one.detail,
  vendor_cost: one.vendorCost,
  vendor_currency: one.vendorCurrency,
  created_at: one.createdAt.toISOString(),
});

export const taskTryResource = (one: TaskTry) => ({
  object: 'admin.task_try',
  number: one.number,
  provider: one.provider,
  upstream_model: one.upstreamModel,
  vendor_task_id: one.vendorTaskId,
  submissions: one.submissions,
  outcome: one.outcome,
  detail: one.detail,
  vendor_cost: one.vendorCost,
  vendor_currency: one.vendorCurrency,
  cost_source: one.costSource,
  created_at: one.createdAt.toISOString(),
  submitted_at: one.submittedAt.toISOString(),
  accepted_at: timeOf(one.acceptedAt),
  ended_at: timeOf(one.endedAt),
  left_because: one.leftBecause,
});
