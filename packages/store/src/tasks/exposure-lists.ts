// SQL by hand: whose work it was stands with the task, wherever that has gone.
import type { ExposureFilter, ListedExposure } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';
import type { Exposure } from './exposures.ts';

export type ExposureQuestion = PageCursors<number> & ExposureFilter<Exposure['kind']>;

export interface ExposureLists {
  /** Newest first. Older ones are sums by day, and in no list. */
  page(question: ExposureQuestion): Promise<Page<ListedExposure>>;
}

/** A page is chosen before anything is looked up for it; only an account has to be found out first. */
const pageSql = (order: 'asc' | 'desc', { account }: { readonly account: boolean }): string => `
  WITH exposed AS (
    SELECT e.* FROM exposure e
    WHERE ($1::text IS NULL OR e.kind = $1) AND ($2::text IS NULL OR e.provider = $2) AND ($3::text IS NULL OR e.task_id = $3)
      AND ($4::bigint IS NULL OR e.id < $4) AND ($5::bigint IS NULL OR e.id > $5)
      ${
        account
          ? `AND (EXISTS (SELECT 1 FROM task t WHERE t.id = e.task_id AND t.account_id = $7)
          OR EXISTS (SELECT 1 FROM deleted_task d WHERE d.task_id = e.task_id AND d.account_id = $7)
          OR EXISTS (SELECT 1 FROM archived_task a WHERE a.task_id = e.task_id AND a.account_id = $7))`
          : ''
      }
    ORDER BY e.id ${order} LIMIT $6)
  SELECT e.id::float8 AS id, e.task_id AS "taskId", e.kind, e.provider, e.vendor_task_id AS "vendorTaskId", e.detail,
    e.vendor_cost::text AS cost, e.vendor_currency AS currency, e.cost_source AS "costSource", e.created_at AS "createdAt",
    coalesce(t.account_id, d.account_id, a.account_id) AS "accountId", coalesce(t.model, d.model, a.model) AS model,
    coalesce((t.vendor_output ->> 'seconds')::float8, t.reserved_seconds, (a.task -> 'vendor_output' ->> 'seconds')::float8, (a.task ->> 'reserved_seconds')::float8) AS seconds
  FROM exposed e LEFT JOIN task t ON t.id = e.task_id LEFT JOIN deleted_task d ON d.task_id = e.task_id
    LEFT JOIN LATERAL (SELECT account_id, model, task FROM archived_task WHERE task_id = e.task_id LIMIT 1) a ON true
  ORDER BY e.id ${order}`;

export function createExposureLists({ pool }: Pick<Database, 'pool'>): ExposureLists {
  return {
    page: ({ kind, provider, accountId, taskId, ...cursors }) =>
      readPage<ListedExposure, number>(cursors, async ({ ids, order, take }) => {
        const values = [kind, provider, taskId, ids.lt, ids.gt, take].map((value) => value ?? null);
        const { rows } = await pool.query<ListedExposure>(
          pageSql(order, { account: accountId !== undefined }),
          accountId === undefined ? values : [...values, accountId],
        );
        return rows;
      }),
  };
}
