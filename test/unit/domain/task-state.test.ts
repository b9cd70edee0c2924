import { describe, expect, it } from '@jest/globals';
import {
  diagram,
  isTerminal,
  liveStatuses,
  next,
  sourcesOf,
  successorsOf,
  targetOf,
  taskStatuses,
  taskSteps,
  terminalStatuses,
  type TaskEvent,
  type TaskStatus,
} from '@gateway/domain';

const events = [
  'accepted',
  'stored',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly TaskEvent[];
const over = {
  accepted: undefined,
  stored: undefined,
  failed: undefined,
  expired: undefined,
  cancelled: undefined,
};

describe('the moves of a task', () => {
  it.each<[TaskStatus, Record<TaskEvent, TaskStatus | undefined>]>([
    [
      'queued',
      {
        accepted: 'running',
        stored: undefined,
        failed: 'failed',
        expired: 'expired',
        cancelled: 'cancelled',
      },
    ],
    [
      'running',
      {
        accepted: undefined,
        stored: 'succeeded',
        failed: 'failed',
        expired: 'expired',
        cancelled: 'cancelled',
      },
    ],
    ['succeeded', over],
    ['failed', over],
    ['expired', over],
    ['cancelled', over],
  ])('from %s are these and no others', (status, moves) => {
    expect(Object.fromEntries(events.map((event) => [event, next(status, event)]))).toEqual(moves);
  });

  it.each<[TaskEvent, TaskStatus[], TaskStatus]>([
    ['accepted', ['queued'], 'running'],
    ['stored', ['running'], 'succeeded'],
    ['failed', ['queued', 'running'], 'failed'],
    ['expired', ['queued', 'running'], 'expired'],
    ['cancelled', ['queued', 'running'], 'cancelled'],
  ])('by %s start at %j and lead to %s', (event, sources, target) => {
    expect({ sources: sourcesOf(event), target: targetOf(event) }).toEqual({ sources, target });
  });

  it('never go by a name that is not in the table', () => {
    expect(sourcesOf('started' as TaskEvent)).toEqual([]);
    expect(() => targetOf('started' as TaskEvent)).toThrow('started');
  });
});

describe('the statuses of a task', () => {
  it('are those of the interface document', () => {
    expect(taskStatuses).toEqual([
      'queued',
      'running',
      'succeeded',
      'failed',
      'expired',
      'cancelled',
    ]);
  });

  it('are live or terminal', () => {
    expect({ live: liveStatuses, terminal: terminalStatuses }).toEqual({
      live: ['queued', 'running'],
      terminal: ['succeeded', 'failed', 'expired', 'cancelled'],
    });
    expect(taskStatuses.map(isTerminal)).toEqual([false, false, true, true, true, true]);
  });

  it('are drawn with every move', () => {
    expect(diagram().split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> queued',
      '  queued --> running: accepted',
      '  queued --> failed: failed',
      '  queued --> expired: expired',
      '  queued --> cancelled: cancelled',
      '  running --> succeeded: stored',
      '  running --> failed: failed',
      '  running --> expired: expired',
      '  running --> cancelled: cancelled',
    ]);
  });
});

describe('the steps of a task', () => {
  it('are inside the worker only: none is spelled like a status', () => {
    expect(taskSteps).toEqual(['submit', 'submitting', 'poll', 'ingest', 'late', 'done']);
    expect(taskSteps.filter((step) => (taskStatuses as readonly string[]).includes(step))).toEqual(
      [],
    );
  });
});

/** Compiled, never run: each line fails the type check when its promise is broken. */
export const promises = (): unknown[] => [
  // @ts-expect-error the interface document spells it with two l
  'canceled' satisfies TaskStatus,
  // @ts-expect-error a step is not a status
  'submitting' satisfies TaskStatus,
  // @ts-expect-error an event that no status knows
  next('queued', 'retried'),
  // @ts-expect-error a status that does not exist
  isTerminal('done'),
  // @ts-expect-error the list of statuses is not to be changed
  (taskStatuses[0] = 'running'),
];

describe('what may come right after a status', () => {
  it('is where its moves lead, each once, and nothing after the end', () => {
    expect(
      Object.fromEntries(taskStatuses.map((status) => [status, successorsOf(status).sort()])),
    ).toEqual({
      queued: ['cancelled', 'expired', 'failed', 'running'],
      running: ['cancelled', 'expired', 'failed', 'succeeded'],
      succeeded: [],
      failed: [],
      expired: [],
      cancelled: [],
    });
  });
});
