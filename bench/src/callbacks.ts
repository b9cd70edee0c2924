import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase, type Database } from '@gateway/store';
import type { Cells, Publish } from './report.ts';
import { startStack, type BenchStack } from './stack.ts';
import { meanOf } from './statistics.ts';

const pushes = 4_000;
const rounds = 3;
const receivers = 8;
/** Of the floor, as many as the dispatcher may have in flight to all receivers together. */
const callers = 64;
const target = { atLeast: 400 };

interface Receivers {
  readonly urls: readonly string[];
  /** Resolves when so many pushes have come since the last call. */
  arrived(count: number): Promise<void>;
  /** The bytes of the last push. */
  lastBody(): Buffer;
  close(): Promise<void>;
}

/**
 * Pushes a second of one dispatcher process to fast receivers, and of a bare node:http client that
 * posts the same signed bodies.
 */
export async function benchCallbacks(publish: Publish): Promise<void> {
  const stack = await startStack(() => undefined, {
    services: ['sandbox-vendor', 'billing', 'api', 'callback-dispatcher'],
    env: {
      'callback-dispatcher': {
        CALLBACK_SWEEP_MS: '200',
        LOG_LEVEL: 'warn',
        CALLBACK_MAX_PER_ACCOUNT: '256',
        CALLBACK_CONCURRENCY: '256', // as many as may be in flight
      },
    },
  });
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 4,
    onError: () => undefined,
  });
  const peers = await openReceivers();
  try {
    await pushed(pushes / 4, { stack, database, peers }); // warms up
    const rates: number[] = [];
    const costs: number[] = [];
    const rows: Cells[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const { perSecond, cpuMs } = await pushed(pushes, { stack, database, peers });
      const bare = await posted(pushes, peers);
      rates.push(perSecond);
      costs.push(cpuMs);
      rows.push([
        `round ${round}`,
        perSecond,
        cpuMs,
        bare,
        `${Math.round((perSecond / bare) * 1000) / 10} %`,
      ]);
    }
    const median = rates.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
    publish({
      tables: [{ head, rows }],
      figures: [
        { measure: 'pushes, median', unit: '1/s', value: median, target },
        { measure: 'CPU of the dispatcher a push, mean', unit: 'ms', value: meanOf(costs) },
        { measure: 'pushes that a core makes', unit: '1/s', value: 1_000 / meanOf(costs) },
      ],
      notes: [],
    });
  } finally {
    await peers.close();
    await database.part.stop();
    await stack.stop();
  }
}

const head = [
  '',
  'dispatcher (pushes/s)',
  'its CPU a push (ms)',
  'bare node:http (posts/s)',
  'of bare',
];

interface Stage {
  readonly stack: BenchStack;
  readonly database: Database;
  readonly peers: Receivers;
}

let made = 0;

/**
 * Tasks whose callback is verified and whose first status is to be pushed, found by the reconciler
 * as after an outage.
 */
async function pushed(
  count: number,
  { stack, database, peers }: Stage,
): Promise<{ perSecond: number; cpuMs: number }> {
  const pid = stack.suite.pidOf('callback-dispatcher');
  const arrived = peers.arrived(count);
  const cpuBefore = await cpuMsOf(pid);
  const startedAt = performance.now();
  await database.pool.query(seedSql, [stack.accountId, count, peers.urls, made]);
  made += count;
  await arrived;
  const seconds = (performance.now() - startedAt) / 1000;
  await settled(database);
  return {
    perSecond: Math.round(count / seconds),
    cpuMs: Math.round((((await cpuMsOf(pid)) - cpuBefore) / count) * 100) / 100,
  };
}

/** Ids in the form of ours: 26 digits behind the prefix. */
export const seedSql = `
  WITH new_hold AS (
    INSERT INTO hold (task_id, account_id, quota, seconds, second_quota)
    SELECT 'video_01bench' || lpad(($4::int + g)::text, 19, '0'), $1, 5, 5, 1 FROM generate_series(1, $2::int) g),
  new_task AS (
    INSERT INTO task (id, account_id, key_id, request_id, model, status, step, request, callback_url, provider, provider_kind, base_url, credential_id, upstream_model,
      second_quota, reserved_seconds, max_quota, expires_at, retention_days)
    SELECT 'video_01bench' || lpad(($4::int + g)::text, 19, '0'), $1, 'key_bench', 'bench', 'sandbox-video', 'queued', 'submit',
      '{"prompt":"a red balloon","references":[],"ratio":"16:9","duration":5,"resolution":"480p","watermark":false,"seed":null,"generateAudio":false,"returnLastFrame":false,"metadata":{},"unsupported":[]}',
      ($3::text[])[1 + g % array_length($3::text[], 1)], 'nobody', 'ark', 'http://127.0.0.1:9', 'x', 'x', 1, 5, 5, now() + interval '1 day', 1
    FROM generate_series(1, $2::int) g RETURNING id, account_id),
  new_callback AS (INSERT INTO callback (task_id, account_id, state, verified_at, due_at) SELECT id, account_id, 'verified', now(), NULL FROM new_task)
  INSERT INTO callback_push (task_id, sequence, status) SELECT id, 1, 'queued' FROM new_task`;

/** Until the last outcome is written. */
async function settled({ pool }: Database): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `SELECT count(*) AS left FROM callback_push WHERE state = 'pending'`,
    );
    if (rows[0]?.left === 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** User and system time of a process so far, from /proc in ticks of 10 ms. */
async function cpuMsOf(pid: number | undefined): Promise<number> {
  const fields =
    (await readFile(`/proc/${pid ?? 'self'}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * The floor: signs and posts the same bytes over new connections, as every push has one; no
 * database, no queue, no guard.
 */
async function posted(count: number, peers: Receivers): Promise<number> {
  const body = peers.lastBody();
  const key = randomBytes(32);
  const agent = new Agent({ keepAlive: false });
  const arrived = peers.arrived(count);
  const startedAt = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (left -= 1; left >= 0; left -= 1) {
        const timestamp = String(Math.floor(Date.now() / 1000));
        const signature = createHmac('sha256', key)
          .update(`msg_1.${timestamp}.`)
          .update(body)
          .digest('base64');
        await post(peers.urls[left % receivers] ?? '', {
          body,
          agent,
          headers: {
            'content-type': 'application/json',
            'content-length': String(body.length),
            'webhook-id': 'msg_1',
            'webhook-timestamp': timestamp,
            'webhook-signature': `v1,${signature}`,
          },
        });
      }
    }),
  );
  await arrived;
  return Math.round(count / ((performance.now() - startedAt) / 1000));
}

function post(
  url: string,
  { body, agent, headers }: { body: Buffer; agent: Agent; headers: Record<string, string> },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', resolve);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function openReceivers(): Promise<Receivers> {
  let missing = 0;
  let body: Buffer = Buffer.alloc(0);
  let done = (): void => undefined;
  const servers = await Promise.all(
    Array.from({ length: receivers }, () =>
      open((received) => {
        body = received;
        missing -= 1;
        if (missing === 0) done();
      }),
    ),
  );
  return {
    urls: servers.map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ),
    arrived(count) {
      missing = count;
      return new Promise((resolve) => {
        done = resolve;
      });
    },
    lastBody: () => body,
    async close() {
      for (const server of servers) {
        await new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        });
      }
    },
  };
}

async function open(onPush: (body: Buffer) => void): Promise<Server> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      response.end();
      onPush(Buffer.concat(chunks));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
