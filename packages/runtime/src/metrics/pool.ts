import { Gauge, type Registry } from './metrics.ts';

/** What a pool of connections to PostgreSQL tells of itself. */
export interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** How much of its budget of connections a process uses, and who waits for one. */
export function poolGauges(pool: PoolCounts, metrics: Registry): void {
  const registers = [metrics];
  const connections = new Gauge({
    name: 'gateway_database_connections',
    help: 'Connections to PostgreSQL that this process has open, at work or at rest.',
    labelNames: ['state'],
    registers,
    collect() {
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      connections.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'gateway_database_connections_max',
    help: 'Connections to PostgreSQL that this process may open: DATABASE_POOL_SIZE.',
    registers,
  }).set(pool.options.max);
  const waiting = new Gauge({
    name: 'gateway_database_statements_waiting',
    help: 'Statements that wait for one of these connections.',
    registers,
    collect() {
      waiting.set(pool.waitingCount);
    },
  });
}
