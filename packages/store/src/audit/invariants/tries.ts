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
      WHERE ${within('y.task_id')} AND ${within('t.id')} AND y.accepted_at IS NOT NULL AND y.left_because IS NULL AND y.vendor_task_id IS DISTINCT FROM t.vendor_task_id
        AND NOT EXISTS (SELECT 1 FROM task_try later WHERE later.task_id = y.task_id AND later.number > y.number)`,
  },
  finished_task_has_no_open_try: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT t.id AS subject, format('try %s is open, task is %s', y.number, t.status) AS detail
      FROM task_try y JOIN task t ON t.id = y.task_id
      WHERE ${within('y.task_id')} AND ${within('t.id')} AND y.ended_at IS NULL AND t.completed_at IS NOT NULL`,
  },
  unknown_try_is_the_last: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT y.task_id AS subject, format('try %s is unknown, try %s came after it', y.number, later.number) AS detail
      FROM task_try y JOIN task_try later ON later.task_id = y.task_id AND later.number > y.number
      WHERE ${within('y.task_id')} AND ${within('later.task_id')} AND y.outcome = 'unknown'`,
  },
  left_route_is_not_tried_again: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT y.task_id AS subject, format('try %s left %s/%s, try %s is there again', y.number, y.provider, y.upstream_model, later.number) AS detail
      FROM task_try y JOIN task_try later ON later.task_id = y.task_id AND later.number > y.number
      WHERE ${within('y.task_id')} AND ${within('later.task_id')} AND y.left_because IS NOT NULL AND (later.provider, later.upstream_model) = (y.provider, y.upstream_model)`,
  },
  next_try_has_its_reason: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT y.task_id AS subject, format('try %s ended as %s at %s/%s, try %s is at %s/%s', y.number, coalesce(y.outcome, 'nothing'), y.provider, y.upstream_model, later.number, later.provider, later.upstream_model) AS detail
      FROM task_try y JOIN task_try later ON later.task_id = y.task_id AND later.number = y.number + 1
      WHERE ${within('y.task_id')} AND ${within('later.task_id')} AND y.left_because IS NULL AND (later.provider, later.upstream_model) <> (y.provider, y.upstream_model)`,
  },
} as const satisfies Record<string, Invariant>;
