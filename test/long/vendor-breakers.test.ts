import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { anAccount, aQueuedTask, eventually, fixedConfiguration } from '@gateway/testing';
import { openFront, type Front } from '../component/video-worker/front.ts';
import {
  configurationFor,
  openWorker,
  type WorkerUnderTest,
} from '../component/video-worker/harness.ts';

/** Each story has a provider of its own. */
const providers = ['paged', 'paged-creations', 'away', 'short', 'firewall'] as const;
type Provider = (typeof providers)[number];
const fronts = new Map<Provider, Front>();
const breakerFailures = 5;
const replicas = 2;

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  for (const provider of providers) fronts.set(provider, await openFront(worker.sandbox.url));
  const lines = providers.map(
    (provider) =>
      `  ${provider}: { kind: ark, base_url: "${frontOf(provider).url}/api/v3", api_key: "\${KEY}", max_concurrent: 20, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }\n`,
  );
  const configuration = configurationFor(worker.sandbox, lines.join(''));
  for (let replica = 0; replica < replicas; replica += 1) {
    await worker.startWorker(
      { VENDOR_BREAKER_FAILURES: breakerFailures, VENDOR_BREAKER_LONGEST_PAUSE_MS: 600 },
      fixedConfiguration(configuration),
    );
  }
});
afterAll(async () => {
  await worker.close();
  await Promise.all([...fronts.values()].map((front) => front.close()));
});

const frontOf = (provider: Provider): Front => fronts.get(provider)!;

const at = (provider: Provider): Partial<NewTask> => ({
  vendor: {
    provider,
    kind: 'ark',
    baseUrl: `${frontOf(provider).url}/api/v3`,
    credentialId: 'test',
    upstreamModel: 'sandbox-video',
    taskId: null,
  },
});

/** So many tasks of three accounts. */
async function waitingTasks(provider: Provider, count: number): Promise<Task[]> {
  const first = await worker.aTask('a red balloon', at(provider));
  const others = await Promise.all(
    [1, 2].map(() => anAccount(worker.database, { quota: 1_000_000 })),
  );
  const owners = [first.accountId, ...others.map(({ id }) => id)];
  const rest = await Promise.all(
    Array.from({ length: count - 1 }, (_, index) =>
      aQueuedTask(worker.database, owners[index % owners.length]!, {
        ...at(provider),
        request: first.request,
      }),
    ),
  );
  return [first, ...rest];
}

const openings = (of: Provider): number =>
  worker.log.lines.filter(
    ({ message, fields }) =>
      message === 'vendor fails, no task is submitted for a while' && fields['provider'] === of,
  ).length;
/** It has opened, and probes have failed. */
const staysOpen = (of: Provider): Promise<void> =>
  eventually(
    () => {
      expect(openings(of)).toBeGreaterThanOrEqual(4);
    },
    { withinMs: 30_000 },
  );

const count = async (what: string, provider: Provider): Promise<number> => {
  const { rows } = await worker.database.pool.query<{ n: string }>(
    `SELECT count(*) AS n FROM task WHERE provider = $1 AND ${what}`,
    [provider],
  );
  return Number(rows[0]!.n);
};
const allSucceed = (provider: Provider): Promise<void> =>
  eventually(
    async () => {
      expect(await count(`status = 'succeeded'`, provider)).toBe(40);
    },
    { withinMs: 60_000, everyMs: 200 },
  );

describe('forty tasks of three accounts on two replicas, behind', () => {
  it('a page: a few are submitted, none fails, all succeed when it is gone', async () => {
    const front = frontOf('paged');
    front.pageExcept(() => false);
    await waitingTasks('paged', 40);
    await staysOpen('paged');

    // The vendor is asked first, so its probes cost no submission.
    expect(front.creations()).toBeGreaterThan(0);
    expect(front.creations()).toBeLessThanOrEqual(replicas * breakerFailures);
    const elsewhere = await worker.aTask('a red balloon');
    await worker.until(elsewhere.id, 'succeeded');
    expect(await count(`status = 'queued'`, 'paged')).toBe(40);
    await eventually(async () => {
      expect(await count('admitted_at IS NULL', 'paged')).toBe(40);
    });

    front.pageExcept(() => true);
    await allSucceed('paged');
    expect(worker.log.lines.map(({ message }) => message)).toContain(
      'vendor serves again, tasks are submitted',
    );
  });

  it('a page for creations only: each probe costs one submission and no task', async () => {
    const front = frontOf('paged-creations');
    front.pageExcept((method) => method === 'GET');
    await waitingTasks('paged-creations', 40);
    await staysOpen('paged-creations');

    expect(front.creations()).toBeLessThanOrEqual(
      replicas * breakerFailures + openings('paged-creations') + 1,
    );
    expect(await count(`status = 'queued'`, 'paged-creations')).toBe(40);

    front.pageExcept(() => true);
    await allSucceed('paged-creations');
  });

  it('an address where nobody listens: none fails, all succeed when somebody does', async () => {
    await frontOf('away').away();
    await waitingTasks('away', 40);
    await staysOpen('away');

    expect(await count(`status = 'queued'`, 'away')).toBe(40);
    const { rows } = await worker.database.pool.query<{ n: string }>(
      `SELECT sum(submissions) AS n FROM task_try WHERE provider = 'away'`,
    );
    expect(Number(rows[0]!.n)).toBeLessThanOrEqual(replicas * breakerFailures);

    await frontOf('away').back();
    await allSucceed('away');
  });
});

describe('a vendor behind a firewall', () => {
  it('that objects to the prompts of one account serves the others, and the good task behind them', async () => {
    frontOf('firewall').pageExcept((_method, body) => !body.includes('DROP TABLE'));
    const bad = await Promise.all(
      Array.from({ length: 8 }, () => worker.aTask('x', at('firewall'))),
    );
    await worker.database.pool.query(
      `UPDATE task SET request = jsonb_set(request, '{prompt}', '"DROP TABLE"') WHERE id = ANY($1::text[])`,
      [bad.map(({ id }) => id)],
    );
    const good = await worker.aTask('a red balloon', at('firewall'));
    const { id: other } = await anAccount(worker.database, { quota: 1_000_000 });
    const others = await Promise.all(
      Array.from({ length: 8 }, () =>
        aQueuedTask(worker.database, other, { ...at('firewall'), request: good.request }),
      ),
    );

    await Promise.all([good, ...others].map(({ id }) => worker.until(id, 'succeeded')));
    expect(await count(`status = 'queued'`, 'firewall')).toBe(bad.length);
  });
});

describe('a vendor behind a page', () => {
  it('does not keep a waiting task from its deadline', async () => {
    frontOf('short').pageExcept(() => false);
    await waitingTasks('short', 6);
    const short = await worker.aTask('x', { ...at('short'), expiresAfterSeconds: 3 });

    expect(await worker.until(short.id, 'expired')).toMatchObject({ billed: { quota: 0 } });
  });
});
