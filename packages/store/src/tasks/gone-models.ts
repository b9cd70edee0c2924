// SQL by hand: two replicas may hear of a model at once, and one task finds out whether it is back.
import type { VideoRoute } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import { shortDetail } from './exposures.ts';

/** The route of a model, whichever models of ours it serves. */
export type RouteName = Pick<VideoRoute, 'provider' | 'upstreamModel'>;

/** A model that its vendor has said not to have. */
export interface GoneModel extends RouteName {
  readonly since: Date;
  /** What the vendor said last. */
  readonly detail: string;
  readonly refusals: number;
  /** Until then no task is sent there; afterwards one finds out. */
  readonly pausedUntil: Date;
  /** The task that finds out. */
  readonly trialTaskId: string | null;
}

/** How long a route is left out: the first time, and at most. */
export interface GonePause {
  readonly firstMs: number;
  readonly maxMs: number;
}

export interface GoneModels {
  all(): Promise<GoneModel[]>;
  /**
   * The vendor has told this task that it has no such model. Doubles the pause where the task was the
   * trial, or the pause is over. True when nobody knew it.
   */
  heard(
    route: RouteName,
    said: { readonly taskId: string; readonly detail: string; readonly pause: GonePause },
  ): Promise<boolean>;
  /** Lets this task find out whether the model is back; false while the pause lasts or another one does. */
  beginTrial(route: RouteName, taskId: string, forMs: number): Promise<boolean>;
  /** The route gets tasks again. False when it was not left out. */
  forget(route: RouteName): Promise<boolean>;
}

const columns = `provider, upstream_model AS "upstreamModel", since, detail, refusals, paused_until AS "pausedUntil", trial_task_id AS "trialTaskId"`;

const heardSql = `
  INSERT INTO gone_model AS g (provider, upstream_model, detail, paused_until)
  VALUES ($1, $2, $3, now() + $5 * interval '1 millisecond')
  ON CONFLICT (provider, upstream_model) DO UPDATE SET detail = excluded.detail, refusals = g.refusals + 1, trial_task_id = NULL,
    paused_until = now() + least($6, $5 * power(2, least(g.refusals, 20))) * interval '1 millisecond'
  WHERE g.paused_until <= now() OR g.trial_task_id = $4
  RETURNING refusals = 1 AS "isNew"`;

const trialSql = `
  UPDATE gone_model SET trial_task_id = $3, paused_until = now() + $4 * interval '1 millisecond'
  WHERE (provider, upstream_model) = ($1, $2) AND (paused_until <= now() OR trial_task_id = $3)`;

export function createGoneModels({ pool }: Pick<Database, 'pool'>): GoneModels {
  return {
    async all() {
      const { rows } = await pool.query<GoneModel>({
        name: 'gone-models',
        text: `SELECT ${columns} FROM gone_model ORDER BY provider, upstream_model`,
      });
      return rows;
    },
    async heard({ provider, upstreamModel }, { taskId, detail, pause }) {
      const { rows } = await pool.query<{ isNew: boolean }>(heardSql, [
        provider,
        upstreamModel,
        shortDetail(detail),
        taskId,
        pause.firstMs,
        pause.maxMs,
      ]);
      return rows[0]?.isNew === true;
    },
    async beginTrial({ provider, upstreamModel }, taskId, forMs) {
      const { rowCount } = await pool.query(trialSql, [provider, upstreamModel, taskId, forMs]);
      return rowCount === 1;
    },
    async forget({ provider, upstreamModel }) {
      const { rowCount } = await pool.query(
        'DELETE FROM gone_model WHERE (provider, upstream_model) = ($1, $2)',
        [provider, upstreamModel],
      );
      return rowCount === 1;
    },
  };
}
