import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Configuration, Task } from '@gateway/contracts';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { anAccount, aQueuedTask, eventually, fixedConfiguration } from '@gateway/testing';
import { readVendorTasks } from '../chaos/checks/evidence.ts';
import {
  configurationFor,
  openWorker,
  type WorkerUnderTest,
} from '../component/video-worker/harness.ts';

/** What happens to the first vendor, in turn: how it answers whatever it is asked. */
const troubles = {
  // Nobody listens any more.
  killed: (response: ServerResponse) => response.destroy(),
  emptied: (response: ServerResponse) => {
    refuse(response, 403, 'AccountOverdueError');
  },
  flooded: (response: ServerResponse) => {
    refuse(response, 429, 'RateLimitExceeded.EndpointRPMExceeded');
  },
  pages: (response: ServerResponse) =>
    response.writeHead(403, { 'content-type': 'text/html' }).end('<html>blocked</html>'),
  hung: () => undefined,
  // Last: the route is left alone for a minute afterwards.
  retired: (response: ServerResponse) => {
    refuse(response, 404, 'InvalidEndpointOrModel.NotFound');
  },
} as const;
type Trouble = keyof typeof troubles;

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { code, message: 'no', param: '', type: 'x' } }));
}

const tasksInAll = Number(process.env['FAILOVER_TASKS'] ?? 240);
const perTrouble = Math.ceil(tasksInAll / Object.keys(troubles).length);
const troubleMs = Number(process.env['FAILOVER_TROUBLE_MS'] ?? 8_000);
const lonelyTasks = 6;
/** Tasks that the first vendor may have in hand. */
const atOnce = 4;

let worker: WorkerUnderTest;
let first: RunningSandbox;
let trouble: Trouble | undefined;
let front: {
  readonly url: string;
  close(): Promise<void>;
  back(): Promise<void>;
};
let accounts: string[];
beforeAll(async () => {
  worker = await openWorker();
  first = await startSandboxVendor();
  front = await openFront(first.url);
  const owners = await Promise.all(
    Array.from({ length: 4 }, () => anAccount(worker.database, { quota: 10_000_000 })),
  );
  accounts = owners.map(({ id }) => id);
  await worker.startWorker({ VENDOR_TIMEOUT_MS: 3_000 }, fixedConfiguration(configuration()));
});
afterAll(async () => {
  await worker.close();
  await front.close();
  await first.stop();
});

/** Passes everything on to the vendor behind it, unless that is in trouble. */
async function openFront(target: string): Promise<typeof front> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      if (trouble !== undefined) {
        troubles[trouble](response);
        return;
      }
      const { method = 'GET', url = '/', headers } = request;
      const passed = await fetch(`${target}${url}`, {
        method,
        headers: {
          authorization: headers.authorization ?? '',
          'content-type': headers['content-type'] ?? '',
        },
        ...(method === 'POST' && { body: Buffer.concat(chunks) }),
      });
      response
        .writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' })
        .end(Buffer.from(await passed.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    back: () => listen(port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function configuration(): Configuration {
  const provider = (name: string): string =>
    `  ${name}: { kind: ark, base_url: "${front.url}/api/v3", api_key: "\${KEY}", max_concurrent: ${atOnce}, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }\n`;
  const usual = configurationFor(worker.sandbox, `${provider('first')}${provider('lonely')}`);
  const model = usual.models.get('sandbox-video')!;
  const [second] = model.routes;
  const routeOf = (name: string) => ({ ...second!, name: `${name}/sandbox-video`, provider: name });
  return {
    ...usual,
    models: new Map([
      [
        'both',
        { ...model, name: 'both', busyAfterSeconds: 1, routes: [routeOf('first'), second!] },
      ],
      ['lonely', { ...model, name: 'lonely', routes: [routeOf('lonely')] }],
    ]),
  };
}

async function aTask(name: 'both' | 'lonely', index: number): Promise<Task> {
  const { request } = await templateOf();
  const task = await aQueuedTask(worker.database, accounts[index % accounts.length]!, {
    model: name,
    request,
    vendor: {
      provider: name === 'both' ? 'first' : 'lonely',
      kind: 'ark',
      baseUrl: `${front.url}/api/v3`,
      credentialId: 'test',
      upstreamModel: 'sandbox-video',
      taskId: null,
    },
  });
  await worker.producer.wake('video.advance', task.id, { requestId: 'test' });
  return task;
}

let template: Promise<Task> | undefined;
/** Its request is that of all; it is itself a task of the second vendor. */
const templateOf = (): Promise<Task> => (template ??= worker.aTask('a red balloon'));

const count = async (sql: string, values: readonly unknown[] = []): Promise<number> => {
  const { rows } = await worker.database.pool.query<{ n: string }>(
    `SELECT count(*) AS n FROM ${sql}`,
    [...values],
  );
  return Number(rows[0]!.n);
};
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Its tasks come evenly, half of them while the trouble lasts; says how soon the first one moved. */
async function go(name: Trouble, lonely: number): Promise<{ readonly firstMoveMs: number }> {
  const began = await count('task_try WHERE left_because IS NOT NULL');
  trouble = name;
  if (name === 'killed') await front.close();
  const startedAt = performance.now();
  let firstMoveMs = Infinity;
  for (let index = 0; index < Math.max(perTrouble, lonely); index += 1) {
    if (index < perTrouble) await aTask('both', index);
    if (index < lonely) await aTask('lonely', index);
    await pause(troubleMs / perTrouble / 2);
    if (
      firstMoveMs === Infinity &&
      (await count('task_try WHERE left_because IS NOT NULL')) > began
    ) {
      firstMoveMs = performance.now() - startedAt;
    }
  }
  if (firstMoveMs === Infinity) {
    await eventually(
      async () => {
        expect(await count('task_try WHERE left_because IS NOT NULL')).toBeGreaterThan(began);
      },
      { withinMs: 60_000 },
    );
    firstMoveMs = performance.now() - startedAt;
  }
  while (performance.now() - startedAt < troubleMs) await pause(100);
  return { firstMoveMs };
}

/** How long a task takes on this machine while nothing is in trouble. */
async function quietMs(): Promise<number> {
  const startedAt = performance.now();
  const { id } = await aTask('both', 0);
  await worker.until(id, 'succeeded');
  return performance.now() - startedAt;
}

it('carries tasks past every trouble of their first vendor, and makes none twice', async () => {
  const usualMs = await quietMs();
  const firstMoves: Record<string, number> = {};
  const returns: Record<string, number> = {};
  for (const name of Object.keys(troubles) as Trouble[]) {
    const lonely = name === 'hung' ? 0 : lonelyTasks;
    firstMoves[name] = (await go(name, lonely)).firstMoveMs;
    expect(
      await count(`task WHERE model = 'lonely' AND status IN ('failed', 'expired', 'cancelled')`),
    ).toBe(0);
    trouble = undefined;
    if (name === 'killed') await front.back();
    const backAt = performance.now();
    if (lonely > 0) {
      const flowed = await count(`task WHERE model = 'lonely' AND status = 'succeeded'`);
      await eventually(
        async () => {
          expect(
            await count(`task WHERE model = 'lonely' AND status = 'succeeded'`),
          ).toBeGreaterThan(flowed);
        },
        { withinMs: 120_000, everyMs: 100 },
      );
    }
    returns[name] = performance.now() - backAt;
    // What is on its way when the vendor hangs is not certain, and this model has no other.
    await eventually(
      async () => {
        expect(await count(`task WHERE model = 'lonely' AND completed_at IS NULL`)).toBe(0);
      },
      { withinMs: 120_000, everyMs: 100 },
    );
  }
  await eventually(
    async () => {
      expect(await count('task WHERE completed_at IS NULL')).toBe(0);
    },
    { withinMs: 240_000, everyMs: 500 },
  );

  const all = await count('task');
  const succeeded = await count(`task WHERE status = 'succeeded'`);
  const { rows: ends } = await worker.database.pool.query<{ what: string; n: string }>(
    `SELECT concat_ws(' ', model, status, failure_code) AS what, count(*) AS n FROM task GROUP BY 1 ORDER BY 1`,
  );
  const { rows: moves } = await worker.database.pool.query<{ left_because: string; n: string }>(
    'SELECT left_because, count(*) AS n FROM task_try WHERE left_because IS NOT NULL GROUP BY 1',
  );
  process.stdout.write(`${JSON.stringify({ all, ends, moves, usualMs, firstMoves, returns })}\n`);
  // What the first vendor has in hand when it hangs is not certain: at most what it may have at once.
  expect(all - succeeded).toBeLessThanOrEqual(Math.max(0.01 * all, atOnce));
  expect(succeeded + (await count(`task WHERE failure_code = 'submission_unknown'`))).toBe(all);
  expect(await count(`task WHERE model = 'lonely' AND status <> 'succeeded'`)).toBe(0);
  expect(await count('task WHERE billed_quota > max_quota')).toBe(0);
  await expectNoneMadeTwice();
  // A second vendor is certain of a trouble when the first has failed, or has not answered in time.
  for (const [name, firstMove] of Object.entries(firstMoves)) {
    // One that hangs without a word is given half a minute after it last served.
    const within = 5_000 + (name === 'hung' ? 40_000 : 0) + 4 * usualMs;
    expect([name, firstMove < within]).toEqual([name, true]);
  }
}, 1_200_000);

/** Both vendors' own records against each other. */
async function expectNoneMadeTwice(): Promise<void> {
  const made = new Map<string, number>();
  for (const { url } of [first, worker.sandbox]) {
    for (const { safety_identifier: taskId = '' } of await readVendorTasks(url)) {
      made.set(taskId, (made.get(taskId) ?? 0) + 1);
    }
  }
  expect([...made].filter(([, times]) => times > 1)).toEqual([]);
  expect(made.size).toBe(await count(`task WHERE vendor_task_id IS NOT NULL`));
}
