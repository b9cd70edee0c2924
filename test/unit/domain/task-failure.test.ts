import { describe, expect, it } from '@jest/globals';
import { taskFailure, taskFailures, type TaskFailureCode } from '@gateway/domain';

const codes = Object.keys(taskFailures) as TaskFailureCode[];

describe('why a task ended without a video', () => {
  it('has a code of this list', () => {
    expect(codes).toEqual([
      'invalid_request',
      'content_policy',
      'no_output',
      'output_rejected',
      'output_unavailable',
      'submission_unknown',
      'vendor_error',
      'vendor_account',
      'vendor_removed',
      'expired',
      'cancelled',
    ]);
  });

  it.each(codes)('%s says a whole sentence', (code) => {
    expect(taskFailure(code)).toEqual({ code, message: taskFailures[code] });
    expect(taskFailures[code]).toMatch(/^[A-Z].{10,}\.$/);
  });

  it('shows the vendor’s reason after our own sentence', () => {
    expect(taskFailure('content_policy', 'a real person')).toEqual({
      code: 'content_policy',
      message: `${taskFailures.content_policy} Reason: a real person`,
    });
  });

  it('shows nothing of an empty reason', () => {
    expect(taskFailure('vendor_error', '')).toEqual({
      code: 'vendor_error',
      message: taskFailures.vendor_error,
    });
  });

  it('shows at most 500 characters of a reason', () => {
    expect(taskFailure('vendor_error', `${'x'.repeat(500)}y`).message).toBe(
      `${taskFailures.vendor_error} Reason: ${'x'.repeat(500)}`,
    );
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error a code that is not in the list
  taskFailure('canceled'),
];
