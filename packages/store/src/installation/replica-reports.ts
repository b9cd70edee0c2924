// SQL by hand: seen and gone by the database's clock, removed by whoever comes by.
import type { LiveReplica, ReplicaFacts } from '@gateway/contracts';
import type { Database } from '../database/database.ts';

export type ReplicaReport = Pick<LiveReplica, 'id' | 'service' | 'version' | 'facts'>;

/** What running replicas say of themselves. Nothing decides by it. */
export interface ReplicaReports {
  /** To be said again every ten seconds or so. Forgets replicas that were not seen for long. */
  note(report: ReplicaReport): Promise<void>;
  /** It stops. */
  leave(id: string): Promise<void>;
  /** Those that were seen a moment ago. */
  live(): Promise<LiveReplica[]>;
}

/** Somebody else may be removing the same rows: nobody waits for anybody. */
const noteSql = `
  WITH gone AS (
    DELETE FROM replica_report WHERE id IN (
      SELECT id FROM replica_report WHERE seen_at < now() - interval '10 minutes' AND id <> $1 FOR UPDATE SKIP LOCKED))
  INSERT INTO replica_report (id, service, version, facts) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET seen_at = now(), facts = excluded.facts`;

const liveSql = `
  SELECT id, service, version, started_at AS "startedAt", seen_at AS "seenAt", facts FROM replica_report
  WHERE seen_at > now() - interval '45 seconds' ORDER BY service, started_at, id`;

export function createReplicaReports({ pool }: Pick<Database, 'pool'>): ReplicaReports {
  return {
    async note({ id, service, version, facts }) {
      await pool.query({
        name: 'note-replica',
        text: noteSql,
        values: [id, service, version, JSON.stringify(facts satisfies ReplicaFacts)],
      });
    },
    async leave(id) {
      await pool.query('DELETE FROM replica_report WHERE id = $1', [id]);
    },
    async live() {
      return (await pool.query<LiveReplica>(liveSql)).rows;
    },
  };
}
