import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createProducer, type Producer } from '@gateway/queue';
import { createDatabase, type Database } from '@gateway/store';
import { recordingLog } from '@gateway/testing';
import { seedSql } from './callbacks.ts';
import type { Cells, Figure, Publish } from './report.ts';
import { startStack } from './stack.ts';
import { quantileOf } from './statistics.ts';

/** How many accounts with a receiver that accepts and never responds, one round after the other. */
const rounds = [0, 1, 5, 50] as const;
/** Each of them creates a task in every so many ticks, one after the other: two a second. */
const ticksPerTask = 10;
const seconds = 20;
/** Of the account that is measured, whose receiver responds at once. */
const pushesPerSecond = 20;
const target = { atMost: 1_000 };

interface Stage {
  readonly database: Database;
  readonly producer: Producer;
  readonly accountId: string;
}

/**
 * How long a push takes, from its wake-up to its receiver, while the receivers of other accounts
 * hang.
 */
export async function benchReceivers(publish: Publish): Promise<void> {
  const stack = await startStack(() => undefined, {
    services: ['sandbox-vendor', 'billing', 'api', 'callback-dispatcher'],
    env: { 'callback-dispatcher': { LOG_LEVEL: 'warn' } },
  });
  const log = recordingLog();
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 4,
    onError: () => undefined,
  });
  const producer = createProducer({ redisUrl: stack.redisUrl, prefix: 'gateway', log });
  const stage = { database, producer, accountId: stack.accountId };
  try {
    await measure(0, stage, 3); // warms up
    const rows: Cells[] = [];
    const figures: Figure[] = [];
    for (const hanging of rounds) {
      const { delays, missing } = await measure(hanging, stage, seconds);
      const value = missing > 0 ? Infinity : quantileOf(delays, 0.99);
      figures.push({ measure: `p99 beside ${hanging} that hang`, unit: 'ms', value, target });
      const median = quantileOf(delays, 0.5);
      rows.push([String(hanging), delays.length, median, quantileOf(delays, 0.99), missing]);
    }
    const head = ['accounts that hang', 'pushes', 'p50 (ms)', 'p99 (ms)', 'never came'];
    publish({ tables: [{ head, rows }], figures, notes: [] });
  } finally {
    await producer.part.stop();
    await database.part.stop();
    await stack.stop();
  }
}

let made = 0;
const idOf = (number: number): string => `video_01bench${String(number).padStart(19, '0')}`;

/** Inserts tasks as the api does and wakes the dispatcher; resolves with the number of the first. */
async function create(
  { database, producer }: Stage,
  { accountId, url, count }: { accountId: string; url: string; count: number },
): Promise<string[]> {
  const first = made + 1;
  made += count;
  await database.pool.query(seedSql, [accountId, count, [url], first - 1]);
  const ids = Array.from({ length: count }, (_, index) => idOf(first + index));
  await producer.wakeAll('callback.push', ids);
  return ids;
}

async function measure(
  hanging: number,
  stage: Stage,
  forSeconds: number,
): Promise<{ delays: number[]; missing: number }> {
  const arrivedAt = new Map<string, number>();
  const [fast, dead] = [await open('responds', arrivedAt), await open('hangs', new Map())];
  const accounts = await addAccounts(stage.database, hanging);
  const startedAt = new Map<string, number>();
  for (let tick = 0; tick < forSeconds * pushesPerSecond; tick += 1) {
    const before = performance.now();
    for (const [index, accountId] of accounts.entries()) {
      if (index % ticksPerTask !== tick % ticksPerTask) continue;
      await create(stage, { accountId, url: urlOf(dead), count: 1 });
    }
    const { accountId } = stage;
    const createdAt = performance.now();
    for (const id of await create(stage, { accountId, url: urlOf(fast), count: 1 })) {
      startedAt.set(id, createdAt);
    }
    await pause(Math.max(0, 1_000 / pushesPerSecond - (performance.now() - before)));
  }
  await pause(5_000);
  const delays = [...startedAt].flatMap(([id, at]) => {
    const arrived = arrivedAt.get(id);
    return arrived === undefined ? [] : [arrived - at];
  });
  for (const server of [fast, dead]) {
    server.closeAllConnections();
    server.close();
  }
  await stage.database.pool.query('DELETE FROM callback');
  return { delays, missing: startedAt.size - delays.length };
}

async function addAccounts({ pool }: Database, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH a AS (INSERT INTO account (id, name) SELECT 'acct_hangs_' || g || '_' || $2, 'hangs' FROM generate_series(1, $1::int) g RETURNING id),
       b AS (INSERT INTO balance (account_id, balance) SELECT id, 1000000 FROM a),
       s AS (INSERT INTO callback_secret (account_id, secret) SELECT id, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' FROM a)
     SELECT id FROM a`,
    [count, made],
  );
  return rows.map(({ id }) => id);
}

const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;

async function open(kind: 'responds' | 'hangs', arrivedAt: Map<string, number>): Promise<Server> {
  const server = createServer((incoming, response) => {
    arrivedAt.set(String(incoming.headers['x-gateway-task']), performance.now());
    incoming.resume();
    if (kind === 'responds') response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
