// SQL by hand: pages in the order of the primary keys, read beside the work of the day.
import type { Database } from '../database/database.ts';

/** A file that a row names, of a task or an asset. */
export interface NamedFileRow {
  readonly id: string;
  readonly key: string;
}

export interface NamedFiles {
  /** Every file that is served: of videos within their retention time, and of assets. */
  pages(): AsyncGenerator<NamedFileRow[]>;
  /** Those whose rows still name them. */
  stillNamed(files: readonly NamedFileRow[]): Promise<NamedFileRow[]>;
}

interface Row extends NamedFileRow {
  readonly variant: string;
}

const isServed = `m.purged_at IS NULL AND EXISTS (SELECT 1 FROM task t WHERE t.id = m.task_id AND t.deleted_at IS NULL)`;
const mediaSql = `
  SELECT m.task_id AS id, m.variant, m.storage_key AS key FROM media m
  WHERE (m.task_id, m.variant) > ($1, $2) AND ${isServed} ORDER BY m.task_id, m.variant LIMIT $3`;
const assetSql = `
  SELECT id, '' AS variant, storage_key AS key FROM asset
  WHERE id > $1 AND $2 = '' AND state = 'ready' ORDER BY id LIMIT $3`;
const stillSql = `
  SELECT m.task_id AS id, m.storage_key AS key FROM media m WHERE m.task_id = ANY ($1) AND ${isServed}
  UNION ALL SELECT id, storage_key FROM asset WHERE id = ANY ($1) AND state = 'ready'`;
const pageSize = 1_000;

export function createNamedFiles({ pool }: Pick<Database, 'pool'>): NamedFiles {
  return {
    async *pages() {
      for (const sql of [mediaSql, assetSql]) {
        let last: Row | undefined;
        for (;;) {
          const { rows }: { rows: Row[] } = await pool.query<Row>(sql, [
            last?.id ?? '',
            last?.variant ?? '',
            pageSize,
          ]);
          if (rows.length > 0) yield rows.map(({ id, key }) => ({ id, key }));
          if (rows.length < pageSize) break;
          last = rows.at(-1);
        }
      }
    },
    async stillNamed(files) {
      const { rows } = await pool.query<NamedFileRow>(stillSql, [files.map(({ id }) => id)]);
      const keys = new Set(rows.map(({ key }) => key));
      return files.filter(({ key }) => keys.has(key));
    },
  };
}
