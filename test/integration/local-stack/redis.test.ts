import { mkdtemp, rm, stat } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startRedis, type LocalRedis } from '../../../packages/local-stack/src/redis.ts';

let dataDir: string;
const said: string[] = [];
const started: LocalRedis[] = [];

async function start(
  options: { kind?: 'auto' | 'javascript'; durable?: boolean } = {},
): Promise<LocalRedis> {
  const redis = await startRedis({
    dataDir,
    log: (line) => {
      said.push(line);
    },
    ...options,
  });
  started.push(redis);
  return redis;
}

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-redis-'));
  said.length = 0;
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((redis) => redis.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

/** The replies to inline commands, on a connection of their own. */
function ask(
  { url, port }: LocalRedis,
  commands: readonly string[],
  { host = '127.0.0.1', isLoggedIn = true } = {},
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const lines = isLoggedIn ? [`AUTH ${new URL(url).password}`, ...commands] : commands;
    let text = '';
    const socket = net.connect({ host, port }, () => socket.write(`${lines.join('\r\n')}\r\n`));
    socket
      .once('error', reject)
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        const replies = text
          .split('\r\n')
          .slice(0, -1)
          .filter((line) => !/^[$*]\d/.test(line));
        if (replies.length < lines.length) return;
        socket.destroy();
        resolve(replies.slice(isLoggedIn ? 1 : 0));
      });
  });
}

/** An address of this machine that is not loopback; undefined where there is none. */
const outerAddress = Object.values(os.networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe.each(['auto', 'javascript'] as const)('the local Redis (%s)', (kind) => {
  it('responds to those who know the password', async () => {
    const redis = await start({ kind, durable: false });

    expect(await ask(redis, ['SET a 1', 'INCR a', 'SELECT 40'])).toEqual(['+OK', ':2', '+OK']);
    expect((await ask(redis, ['GET a'], { isLoggedIn: false }))[0]).toMatch(/^-NOAUTH/);
    await redis.stop();
    await expect(ask(redis, ['PING'])).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('listens on loopback only', async () => {
    const redis = await start({ kind, durable: false });

    if (outerAddress !== undefined) {
      await expect(
        ask(redis, ['PING'], { host: outerAddress, isLoggedIn: false }),
      ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
    expect(await ask(redis, ['PING'])).toEqual(['+PONG']);
  });
});

describe('the local Redis', () => {
  it('keeps its data over a restart, and evicts nothing', async () => {
    const first = await start();
    await ask(first, ['SET kept yes']);
    await first.stop();

    const second = await start();

    // The stand-in in JavaScript keeps nothing, and says so.
    expect((await ask(second, ['GET kept']))[0]).toBe(second.kind === 'server' ? 'yes' : '$-1');
    if (second.kind === 'server') {
      expect(await ask(second, ['CONFIG GET maxmemory-policy', 'PING'])).toContain('noeviction');
    }
  });

  it('stops a server that a killed run left behind: two would write into one file', async () => {
    const first = await start();
    if (first.kind === 'server') {
      await ask(first, ['SET kept yes']);

      const second = await start();

      expect(said).toContainEqual(
        `stopping the Redis that an earlier run left behind (port ${first.port})`,
      );
      expect(await ask(second, ['GET kept'])).toEqual(['yes']);
    }
  });

  it('shows its password to the owner of the folder only', async () => {
    await start({ durable: false });

    expect((await stat(path.join(dataDir, 'redis', 'server.json'))).mode & 0o777).toBe(0o600);
  });

  it('says aloud when a stand-in takes its place', async () => {
    const redis = await start({ kind: 'javascript' });

    expect(redis.kind).toBe('javascript');
    expect(said[0]).toMatch(/^DEVELOPMENT ONLY: .* Install redis-server, or set REDIS_URL\.$/);
  });
});
