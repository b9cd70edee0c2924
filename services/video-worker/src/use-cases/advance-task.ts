import type { Task } from '@gateway/contracts';
import { isTerminal, type TaskStep } from '@gateway/domain';
import type { JobOutcome } from '@gateway/queue';
import type { StepOutcome } from './ports.ts';

export type Step = (task: Task, signal: AbortSignal) => Promise<StepOutcome>;

export interface AdvanceTaskPorts {
  readonly find: (taskId: string) => Promise<Task | undefined>;
  /** What to do with a task that stands at this step. */
  readonly steps: Readonly<Record<Exclude<TaskStep, 'done'>, Step>>;
  readonly expire: Step;
  /** For a live task that its customer wishes to be cancelled. */
  readonly cancel: Step;
  readonly now: () => number;
  /**
   * A way into the provider's lane, to be left when done; undefined when as many of its tasks are
   * being looked at as may be.
   */
  readonly enterLane: (provider: string) => (() => void) | undefined;
  /** How long to stay away from a full lane, in ms. */
  readonly laneFullPauseMs: (provider: string) => Promise<number>;
}

/** More moves than a task has: a loop that goes round more often has a fault, and waits. */
const maxMoves = 12;
const loopPauseMs = 5_000;

/**
 * Looks at a task and does what is due, until it has to wait or is over. Safe to call twice, late,
 * or on two workers at once: every write names the epoch it read, and who loses reads again.
 */
export function createAdvanceTask(
  ports: AdvanceTaskPorts,
): (taskId: string, signal: AbortSignal) => Promise<JobOutcome> {
  const { find, now, enterLane, laneFullPauseMs } = ports;
  return async (taskId, signal) => {
    for (let moves = 0; moves < maxMoves; moves += 1) {
      const task = await find(taskId);
      if (task === undefined || task.step === 'done') return { kind: 'done' };
      if (signal.aborted) return { kind: 'retry', afterMs: 0 };
      const leave = enterLane(task.vendor.provider);
      if (leave === undefined) {
        return {
          kind: 'retry',
          afterMs: beforeDeadline(await laneFullPauseMs(task.vendor.provider), task, now()),
        };
      }
      const outcome = await due(task, task.step, ports)(task, signal).finally(leave);
      if (outcome.kind === 'over') return { kind: 'done' };
      if (outcome.kind === 'wait') {
        return { kind: 'retry', afterMs: beforeDeadline(outcome.afterMs, task, now()) };
      }
    }
    return { kind: 'retry', afterMs: loopPauseMs };
  };
}

/** The deadline goes before a wish, and a wish before the ordinary way. */
function due(
  { status, expiresAt, cancelRequestedAt }: Task,
  step: Exclude<TaskStep, 'done'>,
  { steps, expire, cancel, now }: AdvanceTaskPorts,
): Step {
  if (isTerminal(status)) return steps[step];
  if (now() >= expiresAt.getTime()) return expire;
  return cancelRequestedAt === null ? steps[step] : cancel;
}

/** Never sleeps past the deadline of a live task. */
function beforeDeadline(afterMs: number, task: Task, now: number): number {
  return isTerminal(task.status)
    ? afterMs
    : Math.max(0, Math.min(afterMs, task.expiresAt.getTime() - now));
}
