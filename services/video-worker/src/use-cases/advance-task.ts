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
  /** For a live task with a cancel request. */
  readonly cancel: Step;
  readonly now: () => number;
  /** Takes a slot of the provider's bulkhead and returns its release; undefined when it is full. */
  readonly enterBulkhead: (provider: string) => (() => void) | undefined;
  /** How long to stay away from a full bulkhead, in ms. */
  readonly fullBulkheadPauseMs: (provider: string) => Promise<number>;
}

/** More moves than a task ever makes: a loop beyond that is a fault, and waits. */
const maxMoves = 12;
const loopPauseMs = 5_000;

/**
 * Reads a task and does what is due, until it has to wait or is over. Safe to call twice, late, or
 * on two workers at once: every write names the epoch it read, and the loser reads again.
 */
export function createAdvanceTask(
  ports: AdvanceTaskPorts,
): (taskId: string, signal: AbortSignal) => Promise<JobOutcome> {
  const { find, now, enterBulkhead, fullBulkheadPauseMs } = ports;
  return async (taskId, signal) => {
    for (let moves = 0; moves < maxMoves; moves += 1) {
      const task = await find(taskId);
      if (task === undefined || task.step === 'done') return { kind: 'done' };
      if (signal.aborted) return { kind: 'retry', afterMs: 0 };
      const release = enterBulkhead(task.vendor.provider);
      if (release === undefined) {
        return {
          kind: 'retry',
          afterMs: beforeDeadline(await fullBulkheadPauseMs(task.vendor.provider), task, now()),
        };
      }
      const outcome = await due(task, task.step, ports)(task, signal).finally(release);
      if (outcome.kind === 'over') return { kind: 'done' };
      if (outcome.kind === 'wait') {
        return { kind: 'retry', afterMs: beforeDeadline(outcome.afterMs, task, now()) };
      }
    }
    return { kind: 'retry', afterMs: loopPauseMs };
  };
}

/** The deadline comes before a cancel request, and a cancel request before the ordinary step. */
function due(
  { status, expiresAt, cancelRequestedAt }: Task,
  step: Exclude<TaskStep, 'done'>,
  { steps, expire, cancel, now }: AdvanceTaskPorts,
): Step {
  if (isTerminal(status)) return steps[step];
  if (now() >= expiresAt.getTime()) return expire;
  return cancelRequestedAt === null ? steps[step] : cancel;
}

/** Never sleeps past the deadline of a live task; once it has passed, as long as the step asks for. */
function beforeDeadline(afterMs: number, task: Task, now: number): number {
  const leftMs = task.expiresAt.getTime() - now;
  return isTerminal(task.status) || leftMs <= 0 ? afterMs : Math.min(afterMs, leftMs);
}
