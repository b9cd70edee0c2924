import { chown, copyFile, mkdir, chmod, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import pg from 'pg';
import { call, type CallOutcome } from '../../chaos/customer.ts';
import { readTasks } from '../../chaos/checks/evidence.ts';
import { isReady } from '../../chaos/disturb.ts';
import { chaosEnvironment } from '../../chaos/run.ts';
import {
  startStack,
  type Servers,
  type Stack,
  type StackCustomer,
  type Wiring,
} from '../../chaos/stack.ts';
import { hasOpenssl, makeCertificates, type Certificates } from './authority.ts';
import { startRedisGroup, type RedisGroup } from './redis-group.ts';

const canCertify = await hasOpenssl();
const services = ['api', 'billing', 'video-worker', 'callback-dispatcher'] as const;

let stack: Stack;
let redis: RedisGroup;
let customer: StackCustomer;

/** Lets the server speak TLS too, with files that belong to its own user. */
async function encryptPostgres(url: string, { key, certificate }: Certificates): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const home = rows[0]!.data_directory;
  const { uid, gid } = await stat(home);
  for (const [from, name] of [
    [key, 'server.key'],
    [certificate, 'server.crt'],
  ] as const) {
    const file = path.join(home, name);
    await copyFile(from, file);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  await admin.query('ALTER SYSTEM SET ssl = on');
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
}

const secured = async ({ postgresUrl, dataDir }: Servers): Promise<Wiring> => {
  const folder = path.join(dataDir, 'secured');
  await mkdir(folder);
  const certificates = await makeCertificates(folder);
  await encryptPostgres(postgresUrl, certificates);
  redis = await startRedisGroup(folder, certificates);
  return {
    databaseUrl: (url) => `${url}?sslmode=verify-full`,
    redisUrl: redis.url,
    envOf: () => ({ NODE_EXTRA_CA_CERTS: certificates.ca }),
    close: () => redis.stop(),
  };
};

(canCertify ? describe : describe.skip)(
  'stores as companies have them (left out where there is no openssl)',
  () => {
    beforeAll(async () => {
      stack = await startStack({
        doubled: [],
        log: () => undefined,
        env: chaosEnvironment,
        wire: secured,
      });
      customer = await stack.aCustomer(10_000_000);
    });
    afterAll(() => stack.stop());

    const create = (name: string): Promise<CallOutcome> =>
      call({
        method: 'POST',
        url: `${stack.suite.urlOf('api')}/v1/videos`,
        apiKey: customer.apiKey,
        headers: { 'idempotency-key': name },
        body: { model: 'sandbox-video', prompt: name, duration: 4, resolution: '480p' },
      });
    const untilFinished = (count: number): Promise<void> =>
      eventually(
        async () => {
          const tasks = await readTasks(stack.database);
          expect(tasks.map(({ status }) => status)).toEqual(Array(count).fill('succeeded'));
        },
        { withinMs: 90_000, everyMs: 250 },
      );

    const workers = services.filter((name) => name !== 'api');
    const untilReady = (): Promise<void> =>
      eventually(
        async () => {
          const ready = await Promise.all(workers.map((name) => isReady(stack.suite, name)));
          expect(ready).toEqual(workers.map(() => true));
        },
        { withinMs: 60_000, everyMs: 50 },
      );

    it('work over TLS with an authority of one’s own, a Redis user of few rights, and sentinels', async () => {
      expect(await create('before')).toMatchObject({ kind: 'responded', status: 200 });
      await untilFinished(1);

      const { rows } = await stack.database.pool.query<{ open: number; all: number }>(
        `SELECT count(*) FILTER (WHERE NOT ssl) AS open, count(*) AS all
           FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'gateway %'`,
      );
      expect(rows[0]?.open).toBe(0);
      expect(rows[0]?.all).toBeGreaterThan(3);
    });

    it('lose no video when the primary of Redis is killed under load', async () => {
      const responses: Promise<CallOutcome>[] = [];
      const load = setInterval(() => {
        if (responses.length < 100) responses.push(create(`during-${responses.length}`));
      }, 200);
      try {
        await eventually(() => {
          expect(responses.length).toBeGreaterThan(5);
        });
        redis.killPrimary();
        await redis.untilReplaced();
        await untilReady();
      } finally {
        clearInterval(load);
      }

      const outcomes = await Promise.all(responses);
      expect(
        outcomes.filter(
          ({ kind, ...rest }) =>
            kind !== 'responded' || (rest as { status: number }).status !== 200,
        ),
      ).toEqual([]);
      await untilFinished(outcomes.length + 1);
    }, 240_000);
  },
);
