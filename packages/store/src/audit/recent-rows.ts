import type { Database } from '../database/database.ts';
import type { Positions } from './positions.ts';
import { run } from './statement.ts';

/** Tasks and entries that rows behind some positions are about. */
export interface RecentRows {
  readonly taskIds: readonly string[];
  readonly entryIds: readonly string[];
  /** Where to go on. */
  readonly next: Positions;
  /** There may be more behind `next`. */
  readonly isFull: boolean;
}

const sources = {
  ledger_entry: { serial: 'id', task: 'task_id', ids: 'array_agg(serial)' },
  task_event: { serial: 'serial', task: 'task_id', ids: 'NULL::bigint[]' },
  callback_attempt: { serial: 'serial', task: 'task_id', ids: 'NULL::bigint[]' },
  exposure: { serial: 'id', task: 'task_id', ids: 'NULL::bigint[]' },
  deleted_task: { serial: 'serial', task: 'task_id', ids: 'NULL::bigint[]' },
} as const;

const summaryOf = (table: string, rows: string, ids: string): string =>
  `SELECT '${table}' AS source, count(*)::int AS rows, max(serial) AS last, array_agg(DISTINCT task_id) FILTER (WHERE task_id IS NOT NULL) AS tasks, ${ids} AS ids FROM (${rows}) r`;

/** Ties together: many files are purged at one moment. */
const purgedRows = `
  SELECT (extract(epoch FROM purged_at) * 1000)::bigint AS serial, task_id FROM media
  WHERE purged_at IS NOT NULL AND purged_at > to_timestamp({media}::float8 / 1000) ORDER BY purged_at FETCH FIRST ({most}::bigint) ROWS WITH TIES`;

const recentSql = [
  ...Object.entries(sources).map(([table, { serial, task, ids }]) =>
    summaryOf(
      table,
      `SELECT ${serial} AS serial, ${task} AS task_id FROM ${table} WHERE ${serial} > {${table}}::bigint ORDER BY ${serial} LIMIT {most}`,
      ids,
    ),
  ),
  summaryOf('media', purgedRows, 'NULL::bigint[]'),
].join(' UNION ALL ');

interface SourceRow {
  readonly source: keyof Positions;
  readonly rows: number;
  readonly last: number | null;
  readonly tasks: readonly string[] | null;
  readonly ids: readonly string[] | null;
}

/** The next rows of each table behind `since`, at most `most` of each. */
export async function readRecentRows(
  pool: Pick<Database['pool'], 'query'>,
  since: Positions,
  most: number,
): Promise<RecentRows> {
  const { rows } = await run<SourceRow>(pool, recentSql, { ...since, most });
  return {
    taskIds: [...new Set(rows.flatMap(({ tasks }) => tasks ?? []))],
    entryIds: rows.flatMap(({ ids }) => ids ?? []),
    next: {
      ...since,
      ...Object.fromEntries(
        rows.filter(({ last }) => last !== null).map(({ source, last }) => [source, last]),
      ),
    },
    isFull: rows.some((row) => row.rows >= most),
  };
}
