// SQL by hand: the newest of an index, counted by class.
import type { ProviderFailures } from '@gateway/contracts';
import type { TryOutcome } from '@gateway/domain';
import type { Database } from '../database/database.ts';

export interface ProviderFailureReads {
  /** Tries of the last hour that came to nothing, by provider and class; of many, the newest 10,000. */
  ofLastHour(): Promise<ProviderFailures[]>;
}

const failures: readonly TryOutcome[] = [
  'refused',
  'not_sent',
  'busy',
  'unavailable',
  'unknown',
  'failed',
  'abandoned',
];

const failuresSql = `
  SELECT provider, outcome, count(*)::int AS count, max(ended_at) AS "lastAt", (array_agg(detail ORDER BY ended_at DESC))[1] AS detail
  FROM (
    SELECT provider, outcome, detail, ended_at FROM task_try
    WHERE ended_at > now() - interval '1 hour' AND outcome = ANY ($1) ORDER BY ended_at DESC LIMIT 10000) newest
  GROUP BY provider, outcome ORDER BY provider, "lastAt" DESC, outcome`;

export function createProviderFailures({ pool }: Pick<Database, 'pool'>): ProviderFailureReads {
  return {
    async ofLastHour() {
      return (await pool.query<ProviderFailures>(failuresSql, [failures])).rows;
    },
  };
}
