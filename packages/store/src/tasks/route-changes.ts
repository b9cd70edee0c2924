// SQL by hand: one statement takes a task from one vendor to another.
import type { Task, TaskVendor } from '@gateway/contracts';
import type { LeaveCause, TryOutcome } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { shortDetail } from './exposures.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** How a try ended that is certain to have come to nothing. */
export type NothingMade = Extract<TryOutcome, 'not_sent' | 'busy' | 'unavailable' | 'failed'>;

/** A task that is to be sent on another route. */
export interface RouteChange {
  readonly task: Pick<Task, 'id' | 'epoch' | 'status' | 'step' | 'model' | 'vendor' | 'admittedAt'>;
  readonly to: Omit<TaskVendor, 'taskId'>;
  readonly because: LeaveCause;
  /** How its try has ended, where that is open. */
  readonly outcome: NothingMade;
  /** What the vendor said, for the operator. */
  readonly detail?: string | undefined;
}

export interface RouteChanges {
  /**
   * Puts tasks into the queues of other providers, and notes why they left: each as it was read, none
   * that its customer wants cancelled or whose deadline has passed, none onto a route that it has had,
   * and none after a try of which nobody knows what came. Returns those that have moved.
   */
  changeRoutes(changes: readonly RouteChange[]): Promise<Task[]>;
}

/** The columns of the new route. */
const routed = [
  'provider',
  'provider_kind',
  'base_url',
  'credential_id',
  'upstream_model',
] as const;

const changeSql = `
  WITH asked AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS a(id text, epoch int, status text, step text, ${routed.map((column) => `${column} text`).join(', ')}, because text, outcome text, detail text)),
  was AS (
    SELECT t.id, t.provider, t.credential_id, t.upstream_model
    FROM asked a JOIN task t ON (t.id, t.epoch, t.status, t.step) = (a.id, a.epoch, a.status, a.step)
    WHERE t.status IN ('queued', 'running') AND t.step IN ('submit', 'submitting', 'poll') AND t.vendor_output IS NULL
      AND t.cancel_requested_at IS NULL AND t.expires_at > now() AND (t.provider, t.upstream_model) <> (a.provider, a.upstream_model)
      AND NOT EXISTS (SELECT 1 FROM task_try y WHERE y.task_id = t.id AND (y.outcome = 'unknown' OR (y.provider, y.upstream_model) = (a.provider, a.upstream_model)))
    ORDER BY t.id FOR NO KEY UPDATE OF t),
  moved AS (
    UPDATE task t SET epoch = t.epoch + 1, step = 'submit', step_failures = 0, admitted_at = NULL, submitting_at = NULL, vendor_task_id = NULL,
      ${routed.map((column) => `${column} = a.${column}`).join(', ')}
    FROM was w JOIN asked a ON a.id = w.id WHERE t.id = w.id RETURNING t.*),
  newest AS (SELECT DISTINCT ON (y.task_id) y.* FROM was w JOIN task_try y ON y.task_id = w.id ORDER BY y.task_id, y.number DESC),
  left_try AS (
    SELECT w.*, a.because, a.outcome, a.detail, coalesce(n.number, 0) AS newest,
      coalesce((n.provider, n.upstream_model) = (w.provider, w.upstream_model) AND n.left_because IS NULL, false) AS was_sent
    FROM moved m JOIN was w ON w.id = m.id JOIN asked a ON a.id = m.id LEFT JOIN newest n ON n.task_id = m.id),
  ended AS (
    UPDATE task_try y SET outcome = CASE WHEN y.ended_at IS NULL THEN l.outcome ELSE y.outcome END, detail = coalesce(l.detail, y.detail),
      ended_at = coalesce(y.ended_at, now()), left_because = l.because
    FROM left_try l WHERE y.task_id = l.id AND y.number = l.newest AND l.was_sent),
  unsent AS (
    INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model, submissions, outcome, detail, ended_at, left_because)
    SELECT id, newest + 1, provider, credential_id, upstream_model, 0, 'not_sent', detail, now(), because FROM left_try WHERE NOT was_sent)
  SELECT * FROM moved ORDER BY id`;

const recordOf = ({ task, to, because, outcome, detail }: RouteChange) => ({
  id: task.id,
  epoch: task.epoch,
  status: task.status,
  step: task.step,
  provider: to.provider,
  provider_kind: to.kind,
  base_url: to.baseUrl,
  credential_id: to.credentialId,
  upstream_model: to.upstreamModel,
  because,
  outcome,
  detail: detail === undefined ? null : shortDetail(detail),
});

export function createRouteChanges({ pool }: Database): RouteChanges {
  return {
    async changeRoutes(changes) {
      const { rows } = await pool.query<TaskRow>({
        name: 'change-routes',
        text: changeSql,
        values: [JSON.stringify(changes.map(recordOf))],
      });
      return rows.map(toTask);
    },
  };
}
