import type { TaskStep } from './task-state.ts';

/**
 * What a cancel request comes to at each step. `end`: the vendor was never asked, so the task ends at
 * once. `carry_on`: whether the vendor has it is being found out, and the request waits.
 * `ask`: the vendor decides. `refuse`: the video is made, or everything is over.
 */
const atStep = {
  submit: 'end',
  submitting: 'carry_on',
  poll: 'ask',
  ingest: 'refuse',
  late: 'refuse',
  done: 'refuse',
} as const satisfies Record<TaskStep, string>;

export type CancelPath = (typeof atStep)[TaskStep];

export const cancelPathAt = (step: TaskStep): CancelPath => atStep[step];

/**
 * The steps at which a cancel request comes to one of these: the WHERE clause of the guarded writes.
 */
export const stepsWhereCancel = (...paths: readonly CancelPath[]): TaskStep[] =>
  (Object.keys(atStep) as TaskStep[]).filter((step) => paths.includes(atStep[step]));
