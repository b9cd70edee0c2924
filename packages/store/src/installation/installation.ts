// SQL by hand: ids are looked up in three tables at once, and the allowance ends by the database's
// clock.
import type { Database } from '../database/database.ts';

/** What the operator has allowed the next sweeps of the storage to delete, and until when. */
export interface SweepAllowance {
  readonly files: number;
  readonly until: Date;
}

/** Whose data these are. The id goes with every copy of the database. */
export interface Installation {
  id(): Promise<string>;
  /** How many of these ids belong to a task or asset that this database has, or had and deleted. */
  countKnown(ids: readonly string[]): Promise<number>;
  /** Undefined when there is none, or its time is over. */
  sweepAllowance(): Promise<SweepAllowance | undefined>;
  /** Replaces an earlier allowance. */
  allowSweep(files: number, hours: number): Promise<SweepAllowance>;
}

const countSql = `
  SELECT count(*)::int AS known FROM unnest($1::text[]) AS given (id)
  WHERE EXISTS (SELECT 1 FROM task t WHERE t.id = given.id)
    OR EXISTS (SELECT 1 FROM deleted_task d WHERE d.task_id = given.id)
    OR EXISTS (SELECT 1 FROM archived_task k WHERE k.task_id = given.id)
    OR EXISTS (SELECT 1 FROM asset a WHERE a.id = given.id)`;

const allowance = 'sweep_allowed_files AS files, sweep_allowed_until AS until';

export function createInstallation({ pool }: Pick<Database, 'pool'>): Installation {
  return {
    async id() {
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM installation');
      return theOne(rows).id;
    },
    async countKnown(ids) {
      const { rows } = await pool.query<{ known: number }>(countSql, [ids]);
      return theOne(rows).known;
    },
    async sweepAllowance() {
      const { rows } = await pool.query<SweepAllowance>(
        `SELECT ${allowance} FROM installation WHERE sweep_allowed_until > now()`,
      );
      return rows[0];
    },
    async allowSweep(files, hours) {
      const { rows } = await pool.query<SweepAllowance>(
        `UPDATE installation SET sweep_allowed_files = $1, sweep_allowed_until = now() + make_interval(hours => $2) RETURNING ${allowance}`,
        [files, hours],
      );
      return theOne(rows);
    },
  };
}

/** The migration writes it, and triggers keep it. */
function theOne<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the table installation is empty: run npm run migrate');
  return row;
}
