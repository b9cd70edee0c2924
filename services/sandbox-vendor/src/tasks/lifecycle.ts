import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@gateway/runtime';
import type { Links } from '../files/links.ts';
import type { RenderCache } from '../render/render-cache.ts';
import type { Quality, VideoSpec } from '../render/video-spec.ts';
import type { CallbackSender } from './callbacks.ts';
import { fetchInputs } from './inputs.ts';
import { failures, plannedOutcome, type Outcome } from './outcome.ts';
import type { RunningSlots } from './running-slots.ts';
import { isTerminal, type Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

export interface Timing {
  /** Time in the queue, even when a slot is free. */
  readonly queueMs: number;
  /** Shortest time from running to the end; a render may take longer. */
  readonly runningMs: number;
}

export interface LifecycleOptions {
  readonly store: TaskStore;
  readonly slots: RunningSlots;
  readonly videos: Pick<RenderCache, 'get'>;
  readonly links: Links;
  readonly callbacks: Pick<CallbackSender, 'send'>;
  readonly timing: Timing;
  readonly quality: Quality;
  readonly log: Log;
  readonly now: () => number;
}

/** Moves tasks from queued to their end, each on its own. */
export interface Lifecycle {
  /** Takes on a task that is new or was unfinished when the process ended. */
  follow(task: Task): void;
  /** Ends a queued task as cancelled. */
  cancel(task: Task): void;
  /** Stops following every task; they stay as they are. */
  abandon(): void;
  /** The same for good: what is still created while the server drains is taken on at the next start. */
  stop(): void;
}

/** The longest delay a timer takes. */
const maxTimerMs = 2_147_483_647;

export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { store, callbacks, log, now } = options;
  const live = new Map<string, AbortController>();
  let isStopped = false;

  const leave = (taskId: string): void => {
    live.get(taskId)?.abort();
    live.delete(taskId);
  };
  const move: Move = (task, change) => {
    const moved: Task = { ...task, ...change, updatedAtMs: now() };
    store.put(moved);
    callbacks.send(moved);
    if (isTerminal(moved.status)) leave(moved.id);
    return moved;
  };

  const abandon = (): void => {
    for (const taskId of [...live.keys()]) leave(taskId);
  };

  return {
    follow(task) {
      if (isStopped) return;
      const controller = new AbortController();
      const { signal } = controller;
      live.set(task.id, controller);
      if (task.status === 'queued') callbacks.send(task);
      timeLeft(task, signal, now).then(
        () => {
          move(store.get(task.id) ?? task, { status: 'expired', error: failures.expired });
        },
        () => undefined, // the task has ended before
      );
      advance(task, signal, { ...options, move }).catch((error: unknown) => {
        if (signal.aborted) return;
        log.error('a task could not be finished', { taskId: task.id, error });
        move(store.get(task.id) ?? task, { status: 'failed', error: failures.internal });
      });
    },
    cancel(task) {
      leave(task.id);
      // no callback: the vendor's list of callback statuses leaves it out
      store.put({ ...task, status: 'cancelled', updatedAtMs: now() });
    },
    abandon,
    stop() {
      isStopped = true;
      abandon();
    },
  };
}

/** Writes a change of a task and tells whom it concerns. */
type Move = (task: Task, change: Partial<Task>) => Task;

/** Resolves when the task's time is over; rejects when the task ends first. */
function timeLeft(task: Task, signal: AbortSignal, now: () => number): Promise<void> {
  const remainingMs = task.createdAtMs + task.parameters.expiresAfterSeconds * 1000 - now();
  return pause(Math.min(Math.max(0, remainingMs), maxTimerMs), undefined, { signal, ref: false });
}

/** Takes a task through its queue and its run to its planned end. */
async function advance(
  task: Task,
  signal: AbortSignal,
  { move, ...options }: LifecycleOptions & { readonly move: Move },
): Promise<void> {
  const { slots, timing, now } = options;
  if (task.status === 'queued') {
    await pause(Math.max(0, task.createdAtMs + timing.queueMs - now()), undefined, {
      signal,
      ref: false,
    });
  }
  const release = await slots.take(task.parameters.priority, signal);
  try {
    const running = task.status === 'queued' ? move(task, { status: 'running' }) : task;
    const withInputs = await received(running, signal);
    const change =
      withInputs === undefined
        ? { status: 'failed' as const, error: failures.unreadableInput }
        : { ...withInputs, ...(await runToEnd(running, signal, options)) };
    signal.throwIfAborted();
    move(running, change);
  } finally {
    release();
  }
}

/** What came of the task's references; undefined when one could not be had. */
async function received(
  { inputs = [] }: Task,
  signal: AbortSignal,
): Promise<Pick<Task, 'inputs'> | undefined> {
  if (inputs.length === 0) return {};
  return fetchInputs(inputs, signal).then(
    (fetched) => ({ inputs: fetched }),
    () => {
      signal.throwIfAborted();
      return undefined;
    },
  );
}

/** Runs the planned outcome and says what the task becomes. */
async function runToEnd(
  task: Task,
  signal: AbortSignal,
  { timing, videos, links, quality }: LifecycleOptions,
): Promise<Partial<Task>> {
  const outcome = plannedOutcome(task);
  if (outcome.kind === 'never') await pause(maxTimerMs, undefined, { signal, ref: false });
  const spec = specOf(task, outcome, quality);
  const runningMs = timing.runningMs + (task.directives.slow ?? 0) * 1000;
  await Promise.all([
    spec === undefined ? undefined : videos.get(spec),
    pause(runningMs, undefined, { signal, ref: false }),
  ]);
  if (outcome.kind === 'failed') return { status: 'failed', error: outcome.error };
  if (outcome.kind !== 'succeeded') return { status: 'expired', error: failures.expired };
  return {
    status: 'succeeded',
    reportedSeconds: outcome.reportedSeconds,
    ...(spec !== undefined && {
      output: links.publish({
        spec,
        directives: task.directives,
        lastFrame: task.parameters.returnLastFrame,
      }),
    }),
  };
}

function specOf(
  { prompt, parameters }: Task,
  outcome: Outcome,
  quality: Quality,
): VideoSpec | undefined {
  if (outcome.kind !== 'succeeded' || !outcome.hasVideo) return undefined;
  const { ratio, resolution, drawnResolution = resolution, watermark } = parameters;
  return {
    prompt,
    seconds: outcome.renderedSeconds,
    ratio,
    resolution: drawnResolution,
    watermark,
    quality,
  };
}
