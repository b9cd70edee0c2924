import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePorts } from '@gateway/local-stack';
import { eventually } from '@gateway/testing';
import { Redis } from 'ioredis';
import {
  findRedisOnPath,
  findUnpackedRedis,
} from '../../../packages/local-stack/src/redis-binary.ts';
import { checkout } from '../../chaos/stack.ts';
import type { Certificates } from './authority.ts';

/**
 * A primary, its replica and the sentinel that watches both, all of them over TLS only, with a user
 * for the gateway that may do what it needs to its own keys and nothing else.
 */
export interface RedisGroup {
  readonly url: string;
  /** Ends the primary without a word. */
  readonly killPrimary: () => void;
  /** Resolves once the sentinel names another primary than the first. */
  readonly untilReplaced: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What docs/deployment.md tells people to write. */
const userRules = '~gateway:* &gateway:* +@all -@admin -@dangerous +info';

export async function startRedisGroup(
  folder: string,
  { ca, key, certificate }: Certificates,
): Promise<RedisGroup> {
  const binary =
    (await findRedisOnPath()) ??
    (await findUnpackedRedis(path.join(checkout, '.cache', 'redis', `root-${process.arch}`)));
  if (binary === undefined) throw new Error('there is no redis-server on this machine');
  const [primary, replica, sentinel] = (await freePorts(3)) as [number, number, number];
  const password = randomBytes(18).toString('hex');
  const children: ChildProcess[] = [];
  const start = async (name: string, lines: readonly string[], ...args: string[]) => {
    const home = path.join(folder, name);
    await mkdir(home, { recursive: true });
    const file = path.join(home, 'redis.conf');
    const common = [
      ...['bind 127.0.0.1', 'port 0', `dir ${home}`, 'tls-auth-clients no', 'tls-replication yes'],
      ...[`tls-ca-cert-file ${ca}`, `tls-key-file ${key}`, `tls-cert-file ${certificate}`],
    ];
    await writeFile(file, [...common, ...lines, ''].join('\n'));
    const child = spawn(binary.command, [file, ...args], {
      env: { ...process.env, ...binary.env },
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  };
  const server = [
    ...['save ""', 'appendonly no', 'maxmemory-policy noeviction', 'repl-diskless-sync-delay 0'],
    `user default off`,
    `user gateway on >${password} ${userRules}`,
    `user keeper on >${password} ~* &* +@all`,
    ...['masteruser keeper', `masterauth ${password}`],
  ];
  const first = await start('primary', [`tls-port ${primary}`, ...server]);
  await start('replica', [`tls-port ${replica}`, ...server, `replicaof 127.0.0.1 ${primary}`]);
  await start(
    'sentinel',
    [
      `tls-port ${sentinel}`,
      `requirepass ${password}`,
      `sentinel monitor the-primary 127.0.0.1 ${primary} 1`,
      'sentinel auth-user the-primary keeper',
      `sentinel auth-pass the-primary ${password}`,
      'sentinel down-after-milliseconds the-primary 1500',
      'sentinel failover-timeout the-primary 6000',
    ],
    '--sentinel',
  );
  return {
    url: `rediss+sentinel://gateway:${password}@127.0.0.1:${sentinel}/the-primary?sentinel_password=${password}`,
    killPrimary: () => first.kill('SIGKILL'),
    async untilReplaced() {
      const client = new Redis({
        ...{ host: '127.0.0.1', port: sentinel, password },
        tls: { ca: await readFile(ca, 'utf8') },
      });
      try {
        await eventually(
          async () => {
            const address = await client.call('SENTINEL', [
              'GET-MASTER-ADDR-BY-NAME',
              'the-primary',
            ]);
            if (Number((address as string[])[1]) === primary) throw new Error('still the first');
          },
          { withinMs: 60_000, everyMs: 50 },
        );
      } finally {
        client.disconnect();
      }
    },
    async stop() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill('SIGKILL');
          await once(child, 'exit');
        }),
      );
    },
  };
}
