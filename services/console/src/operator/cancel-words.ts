import type { TaskDetail } from '@gateway/client';

/** What a cancellation does to a video that stands where this one does. */
export function cancelWords({
  provider,
  vendor_task_id: vendorTask,
  submitting_at: sentAt,
}: Pick<TaskDetail, 'provider' | 'vendor_task_id' | 'submitting_at'>): string {
  if (vendorTask !== null) {
    return `${provider} is asked to stop its task ${vendorTask}. If it no longer can, nothing changes and you are told so.`;
  }
  return sentAt === null
    ? 'No vendor was asked for it yet, so it ends at once.'
    : `It is being sent to ${provider}, so the vendor is asked to stop it as soon as it answers. If it no longer can, nothing changes and you are told so.`;
}
