// SQL by hand: the server's version and the history of migrations are no tables of the schema.
import type { StatusFacts } from '@gateway/contracts';
import { createDueWork } from '../audit/due-work.ts';
import type { Database } from '../database/database.ts';
import { createProviderFailures } from '../tasks/provider-failures.ts';
import { createReplicaReports } from './replica-reports.ts';

export interface StatusReads {
  /** How everything stands now. Costs what waits and is late, and what the last hour's failures are. */
  read(): Promise<Omit<StatusFacts, 'answeredBy'>>;
}

const databaseSql = `
  SELECT now() AS at, current_setting('server_version') AS database,
    (SELECT max(migration_name) FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL) AS migration`;

export function createStatusReads(database: Pick<Database, 'pool'>): StatusReads {
  const due = createDueWork(database);
  const failures = createProviderFailures(database);
  const replicas = createReplicaReports(database);
  return {
    // One after the other: the connections are the customers'.
    async read() {
      const {
        rows: [server],
      } =
        await database.pool.query<Pick<StatusFacts, 'at' | 'database' | 'migration'>>(databaseSql);
      if (server === undefined) throw new Error('the database said nothing about itself');
      return {
        ...server,
        queues: await due.vendorQueues(),
        failures: await failures.ofLastHour(),
        late: [
          { work: 'video', ...(await due.firstSubmissions()) },
          { work: 'push', ...(await due.pushes()) },
          { work: 'settlement', ...(await due.settlements()) },
          { work: 'usage', ...(await due.usageBatches()) },
        ],
        replicas: await replicas.live(),
      };
    },
  };
}
