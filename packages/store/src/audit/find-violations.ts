import type { Database } from '../database/database.ts';
import { invariants } from './invariants.ts';

export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

/**
 * Every breach of the invariants, at most a hundred of each; `graceSeconds` is how long work in
 * flight may take before it counts as stuck.
 */
export async function findViolations(
  pool: Database['pool'],
  graceSeconds: number,
): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const [invariant, sql] of Object.entries(invariants)) {
    const { rows } = await pool.query<{ subject: string; detail: string }>(
      sql.includes('$1')
        ? { text: `${sql} LIMIT 100`, values: [graceSeconds] }
        : `${sql} LIMIT 100`,
    );
    found.push(...rows.map(({ subject, detail }) => ({ invariant, subject, detail })));
  }
  return found;
}
