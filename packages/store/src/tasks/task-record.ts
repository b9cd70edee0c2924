import type { Task, TaskResult, VendorOutput, VideoRequest } from '@gateway/contracts';
import type { PriceItem, PriceTerms, TaskFailureCode, TaskStatus, TaskStep } from '@gateway/domain';
import type { Prisma } from '../generated/client.ts';

/** Columns that are not part of a Task. */
export const notOfTask = { keyId: true, deletedAt: true, traceparent: true } as const;

/**
 * The one place that turns a task as Prisma reads it into a Task; `toTask` does it for raw rows.
 */
export function taskOfRecord({
  provider,
  providerKind,
  baseUrl,
  credentialId,
  upstreamModel,
  vendorTaskId,
  secondQuota,
  reservedSeconds,
  maxQuota,
  price,
  billedSeconds,
  billedQuota,
  billedItems,
  failureCode,
  failureMessage,
  ...task
}: Prisma.TaskGetPayload<{ omit: typeof notOfTask }>): Task {
  return {
    ...task,
    status: task.status as TaskStatus,
    step: task.step as TaskStep,
    request: task.request as unknown as VideoRequest,
    vendor: {
      provider,
      kind: providerKind,
      baseUrl,
      credentialId,
      upstreamModel,
      taskId: vendorTaskId,
    },
    vendorOutput: task.vendorOutput as unknown as VendorOutput | null,
    price: {
      secondQuota: Number(secondQuota),
      reservedSeconds,
      maxQuota: Number(maxQuota),
      ...(price !== null && { terms: price as unknown as PriceTerms }),
    },
    billed:
      billedSeconds === null || billedQuota === null
        ? null
        : {
            seconds: billedSeconds,
            quota: Number(billedQuota),
            ...(billedItems !== null && { items: billedItems as unknown as readonly PriceItem[] }),
          },
    failure:
      failureCode === null
        ? null
        : { code: failureCode as TaskFailureCode, message: failureMessage ?? '' },
    result: task.result as unknown as TaskResult | null,
  };
}
