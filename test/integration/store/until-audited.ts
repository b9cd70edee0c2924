import { expect } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createRunningAudit, type Database } from '@gateway/store';
import { eventually } from '@gateway/testing';

/** Whether the checkpoints hold every row that is there. */
const isAuditedSql = `
  SELECT bool_and((positions ->> name)::bigint >= last) AS is_audited
  FROM audit_watermark, (VALUES
    ('ledger_entry', (SELECT max(id) FROM ledger_entry)),
    ('exposure', (SELECT max(id) FROM exposure)),
    ('deleted_task', (SELECT max(serial) FROM deleted_task)),
    ('usage_record', (SELECT max(serial) FROM usage_record)),
    ('usage_uncollected', (SELECT max(serial) FROM usage_uncollected))) AS written (name, last)
  WHERE last IS NOT NULL`;

/**
 * Rounds of the running audit, each of which has to find nothing, until its checkpoints hold
 * everything. A mark is settled once every transaction of the server is over that had begun before it,
 * those of other tests' databases too, so no number of rounds would be enough.
 */
export const untilAudited = (
  database: Database,
  { graceSeconds = 60 }: { readonly graceSeconds?: number } = {},
): Promise<void> =>
  eventually(
    async () => {
      await database.pool.query(`UPDATE audit_watermark SET claimed_until = '-infinity'`);
      const round = { graceSeconds, everyMs: 60_000, claim: newId('usage'), settleSeconds: 0 };
      const found = await createRunningAudit(database).round(round);
      expect(found).toEqual({ found: [], failed: [] });
      const { rows } = await database.pool.query(isAuditedSql);
      expect(rows).toEqual([{ is_audited: true }]);
    },
    { withinMs: 45_000, everyMs: 100 },
  );
