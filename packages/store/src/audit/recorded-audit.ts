// SQL by hand: beside the slices that it records.
import type { Database } from '../database/database.ts';
import { auditEverything, type FullAuditState, type Violation } from './full-audit.ts';
import { run } from './statement.ts';

export interface RecordedAuditOptions {
  /** How many seconds work in flight may take before it counts as stuck. */
  readonly graceSeconds: number;
  /** Goes on where the last audit was interrupted, if it was. */
  readonly resume: boolean;
  readonly onProgress: (progress: AuditProgress) => void;
}

export interface AuditProgress {
  readonly slices: number;
  /** From the estimates of the planner, at least those that are done. */
  readonly expectedSlices: number;
  readonly violations: number;
}

/** An audit of everything whose state is kept: it can be interrupted, and billing shows its result. */
export interface RecordedAudit {
  run(options: RecordedAuditOptions): Promise<Violation[]>;
}

const beginSql = `
  INSERT INTO audit_full AS f (started_at) VALUES (now())
  ON CONFLICT (singleton) DO UPDATE SET started_at = excluded.started_at, position = CASE WHEN {resume}::boolean THEN f.position END
  RETURNING started_at::text AS id, position`;
/** Whoever began last records. */
const progressSql = `UPDATE audit_full SET position = {position}::jsonb WHERE started_at = {id}::timestamptz`;
const endSql = `
  UPDATE audit_full SET position = NULL, findings = {findings}::jsonb, finished_at = now() WHERE started_at = {id}::timestamptz`;

/** As many as full-audit.ts makes of these rows. */
const expectedSql = `
  SELECT ceil(sum(greatest(reltuples, 0) / CASE relname WHEN 'account' THEN 200 WHEN 'hold' THEN 5000 ELSE 20000 END))::int + 1 AS slices
  FROM pg_class WHERE oid IN (SELECT to_regclass(name) FROM (VALUES ('account'), ('hold')) t(name) UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('ledger_entry'))`;

export function createRecordedAudit({ pool }: Pick<Database, 'pool'>): RecordedAudit {
  return {
    async run({ graceSeconds, resume, onProgress }) {
      const { rows } = await run<{ id: string; position: FullAuditState | null }>(pool, beginSql, {
        resume,
      });
      const [begun] = rows;
      if (begun === undefined) throw new Error('the audit could not be recorded');
      const { rows: expected } = await run<{ slices: number }>(pool, expectedSql);
      const found = await auditEverything(pool, {
        graceSeconds,
        from: begun.position ?? undefined,
        async onSlice(state) {
          await run(pool, progressSql, { id: begun.id, position: JSON.stringify(state) });
          onProgress({
            slices: state.slices,
            expectedSlices: Math.max(state.slices, expected[0]?.slices ?? 0),
            violations: state.found.length,
          });
        },
      });
      await run(pool, endSql, { id: begun.id, findings: JSON.stringify(found) });
      return found;
    },
  };
}
