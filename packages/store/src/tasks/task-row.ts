import type { Task, TaskResult, VendorOutput, VideoRequest } from '@gateway/contracts';
import type { PriceItem, PriceTerms, TaskFailureCode, TaskStatus, TaskStep } from '@gateway/domain';

/** A row of the table task, as pg reads it. */
export interface TaskRow {
  id: string;
  account_id: string;
  request_id: string;
  model: string;
  status: TaskStatus;
  step: TaskStep;
  epoch: number;
  event_sequence: number;
  request: VideoRequest;
  callback_url: string | null;
  provider: string;
  provider_kind: string;
  base_url: string;
  credential_id: string;
  upstream_model: string;
  vendor_task_id: string | null;
  vendor_output: VendorOutput | null;
  second_quota: number;
  reserved_seconds: number;
  max_quota: number;
  price: PriceTerms | null;
  billed_seconds: number | null;
  billed_quota: number | null;
  billed_items: readonly PriceItem[] | null;
  failure_code: TaskFailureCode | null;
  failure_message: string | null;
  result: TaskResult | null;
  step_failures: number;
  created_at: Date;
  admitted_at: Date | null;
  submitting_at: Date | null;
  started_at: Date | null;
  completed_at: Date | null;
  expires_at: Date;
  retention_days: number;
  cancel_requested_at: Date | null;
  media_purged_at: Date | null;
}

/** The one place that turns a row into a Task. */
export const toTask = (row: TaskRow): Task => ({
  id: row.id,
  accountId: row.account_id,
  requestId: row.request_id,
  model: row.model,
  status: row.status,
  step: row.step,
  epoch: row.epoch,
  eventSequence: row.event_sequence,
  request: row.request,
  callbackUrl: row.callback_url,
  vendor: {
    provider: row.provider,
    kind: row.provider_kind,
    baseUrl: row.base_url,
    credentialId: row.credential_id,
    upstreamModel: row.upstream_model,
    taskId: row.vendor_task_id,
  },
  vendorOutput: row.vendor_output,
  stepFailures: row.step_failures,
  price: {
    secondQuota: row.second_quota,
    reservedSeconds: row.reserved_seconds,
    maxQuota: row.max_quota,
    ...(row.price !== null && { terms: row.price }),
  },
  billed:
    row.billed_seconds === null || row.billed_quota === null
      ? null
      : {
          seconds: row.billed_seconds,
          quota: row.billed_quota,
          ...(row.billed_items !== null && { items: row.billed_items }),
        },
  failure:
    row.failure_code === null
      ? null
      : { code: row.failure_code, message: row.failure_message ?? '' },
  result: row.result,
  createdAt: row.created_at,
  admittedAt: row.admitted_at,
  submittingAt: row.submitting_at,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  expiresAt: row.expires_at,
  retentionDays: row.retention_days,
  cancelRequestedAt: row.cancel_requested_at,
  mediaPurgedAt: row.media_purged_at,
});
