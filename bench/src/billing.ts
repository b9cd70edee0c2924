import { gatewayServices, type Service } from '@gateway/local-stack';
import { createDatabase, createLedger, type Database } from '@gateway/store';
import { runLoad, type LoadResult } from './load.ts';
import { shown, type Cells, type Figure, type Publish, type Target } from './report.ts';
import { startStack, type BenchStack } from './stack.ts';

const callers = 64;
const requests = 20_000;
const lockedRequests = 2_000;
const coldAccounts = 1_000;
/** Holds that race for exactly this many places, to see that speed did not cost exactness. */
const exactPlaces = 5_000;

/** Holds a second on one hot account through one process. */
const target: Target = { atLeast: 3_000 };

interface Stage {
  readonly stack: BenchStack;
  readonly database: Database;
  readonly urls: readonly string[];
  readonly cold: readonly string[];
}

/**
 * Holds a second through the HTTP endpoint, on one hot account and on a thousand cold ones, with
 * one and two replicas of billing.
 */
export async function benchBilling(publish: Publish): Promise<void> {
  const billing = gatewayServices.find(({ name }) => name === 'billing');
  if (billing === undefined) throw new Error('there is no billing service');
  const second: Service = { ...billing, name: 'billing-2' };
  const stack = await startStack(() => undefined, {
    services: ['sandbox-vendor', 'billing', 'api'],
    replicas: [second],
  });
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 32,
    onError: () => undefined,
  });
  try {
    const urls = ['billing', 'billing-2'].map(
      (name) => `${stack.suite.urlOf(name)}/internal/holds`,
    );
    const stage: Stage = { stack, database, urls, cold: await openColdAccounts(database) };
    await ask(stage, { accounts: [stack.accountId], replicas: 1, count: 3_000 });
    const { rows, figures } = await measure(stage);
    const exact = await exactness(stage);
    const broken = await createLedger(database).verify({ graceSeconds: 3_600 });
    const wrong: Figure = {
      measure: 'rows that break an invariant of the books',
      unit: '',
      value: broken.length,
      target: { atMost: 0 },
    };
    publish({ tables: [{ head, rows }], figures: [...figures, ...exact, wrong], notes: [] });
  } finally {
    await database.part.stop();
    await stack.stop();
  }
}

const head = ['holds', 'holds/s', 'p50 (ms)', 'p99 (ms)', 'failed', 'of FOR UPDATE'];

/** One row for each kind of account and number of replicas, then the row to compare with. */
async function measure(stage: Stage): Promise<{ rows: Cells[]; figures: Figure[] }> {
  const locked = await lockedHolds(stage);
  const rows: Cells[] = [];
  const figures: Figure[] = [];
  for (const [what, accounts] of [
    ['one hot account', [stage.stack.accountId]],
    ['1,000 cold accounts', stage.cold],
  ] as const) {
    for (const replicas of [1, 2]) {
      const { perSecond, p50Ms, p99Ms, failed } = await ask(stage, {
        accounts,
        replicas,
        count: requests,
      });
      const name = `${what}, ${replicas === 1 ? 'one process' : 'two'}`;
      if (accounts.length === 1 && replicas === 1) {
        figures.push({ measure: `holds, ${name}`, unit: '1/s', value: perSecond, target });
      }
      rows.push([
        name,
        perSecond,
        p50Ms,
        p99Ms,
        failed,
        accounts.length === 1 ? `${Math.round((perSecond / locked) * 10) / 10} ×` : '',
      ]);
    }
  }
  const name = 'one hot account, SELECT … FOR UPDATE, no HTTP';
  return { rows: [...rows, [name, locked, '', '', 0, '1 ×']], figures };
}

let tasks = 0;
const bodyFor = (accountId: string): string =>
  JSON.stringify({
    task_id: `video_bench_${(tasks += 1)}`,
    account_id: accountId,
    quota: 4,
    seconds: 4,
    second_quota: 1,
  });

function ask(
  { stack, urls }: Stage,
  { accounts, replicas, count }: { accounts: readonly string[]; replicas: number; count: number },
): Promise<LoadResult> {
  let turn = 0;
  return runLoad({
    url: () => urls[turn % replicas] ?? '',
    method: 'POST',
    callers,
    length: { requests: count },
    headers: {
      authorization: `Bearer ${stack.suite.serviceToken}`,
      'content-type': 'application/json',
    },
    body: () => bodyFor(accounts[(turn += 1) % accounts.length] ?? ''),
  });
}

async function openColdAccounts(database: Database): Promise<string[]> {
  await database.pool.query(
    `INSERT INTO account (id, name) SELECT 'acct_cold_' || g, 'cold' FROM generate_series(1, $1::int) g`,
    [coldAccounts],
  );
  await database.pool.query(
    `WITH b AS (INSERT INTO balance (account_id, balance) SELECT id, 1000000 FROM account WHERE name = 'cold' RETURNING account_id)
     INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after) SELECT account_id, 'top_up', 1000000, 'operator:issued', 'available', 1000000, 0 FROM b`,
  );
  return Array.from({ length: coldAccounts }, (_, index) => `acct_cold_${index + 1}`);
}

/**
 * What most do: lock the row, look, write, commit; from this process, without HTTP. Holds a
 * second.
 */
async function lockedHolds({ database: { pool }, stack: { accountId } }: Stage): Promise<number> {
  let left = lockedRequests;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (left -= 1; left >= 0; left -= 1) {
        const client = await pool.connect();
        const taskId = `video_bench_${(tasks += 1)}`;
        await client.query('BEGIN');
        const { rows } = await client.query<{ balance: number; held: number }>(
          'SELECT balance, held FROM balance WHERE account_id = $1 FOR UPDATE',
          [accountId],
        );
        const { balance, held } = rows[0] ?? { balance: 0, held: 0 };
        if (balance - held >= 4) {
          await client.query(
            'INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) VALUES ($1, $2, 4, 4, 1)',
            [taskId, accountId],
          );
          await client.query(
            `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, $2, 'hold', 4, 'available', 'held', $3, $4)`,
            [accountId, taskId, balance, held + 4],
          );
          await client.query('UPDATE balance SET held = held + 4 WHERE account_id = $1', [
            accountId,
          ]);
        }
        await client.query('COMMIT');
        client.release();
      }
    }),
  );
  return Math.round(lockedRequests / ((performance.now() - started) / 1000));
}

async function exactness(stage: Stage): Promise<Figure[]> {
  await stage.database.pool.query(`INSERT INTO account (id, name) VALUES ('acct_exact', 'exact')`);
  await createLedger(stage.database).topUp('acct_exact', exactPlaces * 4, 'bench');
  await ask(stage, { accounts: ['acct_exact'], replicas: 2, count: exactPlaces * 2 });
  const { rows } = await stage.database.pool.query<{ count: number }>(
    `SELECT count(*) AS count FROM hold WHERE account_id = 'acct_exact'`,
  );
  const measure = `taken of ${shown(exactPlaces * 2)} holds on two processes, with quota for ${shown(exactPlaces)}`;
  const taken = rows[0]?.count ?? NaN;
  return [
    { measure, unit: '', value: taken, target: { atLeast: exactPlaces } },
    {
      measure: 'of these beyond the quota',
      unit: '',
      value: Math.max(0, taken - exactPlaces),
      target: { atMost: 0 },
    },
  ];
}
