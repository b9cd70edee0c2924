import type { Invariant } from './invariant.ts';

/** A task that a worker of the version before has sent has none. */
export const tryInvariants = {
  tries_are_numbered: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT task_id AS subject, format('%s tries, numbered %s to %s', count(*), min(number), max(number)) AS detail
      FROM task_try WHERE ${within('task_id')} GROUP BY task_id HAVING min(number) <> 1 OR max(number) <> count(*)`,
  },
  accepted_task_has_its_try: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('vendor task %s, try %s has %s', coalesce(t.vendor_task_id, 'none'), y.number, coalesce(y.vendor_task_id, 'none')) AS detail
      FROM task_try y JOIN task t ON t.id = y.task_id
      WHERE ${within('y.task_id')} AND ${within('t.id')} AND y.accepted_at IS NOT NULL AND y.vendor_task_id IS DISTINCT FROM t.vendor_task_id
        AND NOT EXISTS (SELECT 1 FROM task_try later WHERE later.task_id = y.task_id AND later.number > y.number)`,
  },
  finished_task_has_no_open_try: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('try %s is open, task is %s', y.number, t.status) AS detail
      FROM task_try y JOIN task t ON t.id = y.task_id
      WHERE ${within('y.task_id')} AND ${within('t.id')} AND y.ended_at IS NULL AND t.completed_at IS NOT NULL`,
  },
} as const satisfies Record<string, Invariant>;
