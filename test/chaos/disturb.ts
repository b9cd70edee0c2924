import { Redis } from 'ioredis';
import type { Suite } from '@gateway/local-stack';
import type { Database } from '@gateway/store';
import { eventually } from '@gateway/testing';
import {
  clockedProcesses,
  processNames,
  type Disturbance,
  type ProcessName,
  type VendorFault,
} from './plan.ts';
import type { ChaosReceiver } from './receiver.ts';
import type { ChaosStack } from './chaos-stack.ts';

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

type Of<Kind extends Disturbance['kind']> = Extract<Disturbance, { kind: Kind }>;
type Performers = {
  readonly [Kind in Disturbance['kind']]: (disturbance: Of<Kind>) => Promise<void>;
};

/**
 * Does what a plan says, to real processes. Resolves when the disturbance is over; what it hits
 * comes back by itself.
 */
export function createDisturber(
  { suite, redis, database, wires, setClock }: ChaosStack,
  receiver: ChaosReceiver,
): (disturbance: Disturbance) => Promise<void> {
  const performers: Performers = {
    kill: ({ process }) => {
      suite.kill(process, 'SIGKILL');
      return Promise.resolve();
    },
    pause: async ({ process, forMs, flush }) => {
      suite.kill(process, 'SIGSTOP');
      if (flush) await withRedis(redis.url, (client) => client.flushall());
      await pause(forMs);
      suite.kill(process, 'SIGCONT');
    },
    roll: async () => {
      for (const process of processNames) await replace(suite, process);
    },
    flush: () => withRedis(redis.url, (client) => client.flushall()),
    'kill redis': () => withRedis(redis.url, killRedis),
    'terminate backends': () => terminateBackends(database),
    'stop postgres': () => stopPostgres(database),
    'vendor fault': ({ fault }) => addFault(suite.sandboxUrl, fault),
    'receiver outage': ({ forMs }) => {
      receiver.breakFor(forMs);
      return Promise.resolve();
    },
    silence: async ({ peer, towards, forMs, isReplaced }) => {
      const wire = wires.of[peer];
      wire.fallSilent(...towards);
      await pause(forMs);
      if (isReplaced) wire.replace();
      else wire.mend();
    },
    'wrong clock': async ({ process, aheadMs, forMs }) => {
      await setClock(process, aheadMs);
      await pause(forMs);
      await setClock(process, 0);
    },
  };
  return (disturbance) =>
    (performers[disturbance.kind] as (disturbance: Disturbance) => Promise<void>)(disturbance);
}

const backWithinMs = 30_000;

/**
 * SIGTERM, and the next one is not touched before this one is back; what takes too long is left to
 * itself.
 */
async function replace(suite: Suite, process: ProcessName): Promise<void> {
  const before = suite.pidOf(process);
  suite.kill(process, 'SIGTERM');
  await eventually(
    async () => {
      if (suite.pidOf(process) === before || !(await isReady(suite, process))) {
        throw new Error('not back yet');
      }
    },
    { withinMs: backWithinMs, everyMs: 100 },
  ).catch(() => undefined);
}

export async function isReady(suite: Suite, process: string): Promise<boolean> {
  return fetch(`${suite.opsUrlOf(process)}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/**
 * What Redis does not take while it is away was not needed: another disturbance was there first.
 */
async function withRedis(url: string, use: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 3,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  });
  redis.on('error', () => undefined);
  await use(redis).catch(() => undefined);
  redis.disconnect();
}

async function killRedis(redis: Redis): Promise<void> {
  const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  if (pid > 1) process.kill(pid, 'SIGKILL');
}

async function terminateBackends({ pool }: Database): Promise<void> {
  await pool
    .query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    .catch(() => undefined);
}

/**
 * An immediate stop: every transaction under way is lost, and the next start recovers from the log.
 */
async function stopPostgres({ pool }: Database): Promise<void> {
  const asked = await pool
    .query<{ file: string }>(`SELECT pg_read_file('postmaster.pid') AS file`)
    .catch(() => undefined);
  const pid = Number(asked?.rows[0]?.file.split('\n')[0]);
  if (pid > 1) process.kill(pid, 'SIGQUIT');
}

async function addFault(sandboxUrl: string, fault: VendorFault): Promise<void> {
  await fetch(`${sandboxUrl}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
}

/**
 * Takes back whatever still disturbs, and waits until every process is ready. Throws when one does
 * not come back.
 */
export async function makeCalm(
  { suite, wires, setClock }: ChaosStack,
  receiver: ChaosReceiver,
): Promise<void> {
  receiver.calm();
  for (const wire of Object.values(wires.of)) wire.mend();
  for (const process of clockedProcesses) await setClock(process, 0);
  for (const process of processNames) suite.kill(process, 'SIGCONT');
  await eventually(
    async () => {
      for (const process of processNames) {
        if (!(await isReady(suite, process))) throw new Error(`${process} is not ready`);
      }
    },
    { withinMs: 60_000, everyMs: 250 },
  );
  await fetch(`${suite.sandboxUrl}/control/faults`, { method: 'DELETE' });
}
