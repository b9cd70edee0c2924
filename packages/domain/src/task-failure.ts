/**
 * Why a task ended without a video: the `error.code` of a task that failed, expired or was
 * cancelled. The sentence is ours; what the vendor said goes to the log, and only a cleaned reason
 * to the customer.
 */
export const taskFailures = {
  invalid_request: 'The vendor refused the request.',
  content_policy: 'The request or its result was refused by content moderation.',
  no_output: 'The vendor reported success without a usable video.',
  output_rejected: 'The file from the vendor is not a playable video.',
  output_unavailable:
    'The finished video could not be fetched from the vendor before the deadline.',
  submission_unknown:
    'The vendor gave no clear response to the submission, and the task could not be found there. It was not submitted again and costs nothing.',
  vendor_error: 'The vendor failed to render the video.',
  vendor_account: 'The operator’s account at the vendor cannot be used right now.',
  vendor_removed: 'The vendor no longer knows this task.',
  expired: 'The task did not finish before its deadline.',
  cancelled: 'The task was cancelled.',
} as const satisfies Record<string, string>;

export type TaskFailureCode = keyof typeof taskFailures;

export interface TaskFailure {
  readonly code: TaskFailureCode;
  readonly message: string;
}

/**
 * A failure with the catalogue's sentence, and the vendor's reason behind it where one may be
 * shown.
 */
export function taskFailure(code: TaskFailureCode, reason?: string): TaskFailure {
  const message: string = taskFailures[code];
  return {
    code,
    message:
      reason === undefined || reason === ''
        ? message
        : `${message} Reason: ${reason.slice(0, 500)}`,
  };
}
