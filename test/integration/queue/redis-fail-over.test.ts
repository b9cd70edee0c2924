import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSharedLimits } from '@gateway/limits';
import { createConsumer, createProducer, done } from '@gateway/queue';
import { eventually, openWire, recordingLog, type Wire } from '@gateway/testing';
import { Redis } from 'ioredis';
import { startRedis, type LocalRedis } from '../../../packages/local-stack/src/redis.ts';
import { aTaskId, eventuallyEqual } from '../../contracts/queue-deployment.ts';

/** Two servers behind one address, the second the first one's replica. */
let folder: string;
let servers: LocalRedis[];
let admins: Redis[];
let wire: Wire;
let url: string;
let serving: LocalRedis;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-fail-over-'));
  const start = (name: string): Promise<LocalRedis> =>
    startRedis({ dataDir: path.join(folder, name), log: () => undefined, durable: false });
  servers = [await start('a'), await start('b')];
  const [first, second] = servers as [LocalRedis, LocalRedis];
  const { password } = new URL(first.url);
  admins = servers.map((server) => new Redis(server.url));
  await admins[1]?.config('SET', 'requirepass', password);
  for (const admin of admins) await admin.config('SET', 'masterauth', password);
  await admins[1]?.replicaof('127.0.0.1', first.port);
  await eventually(async () => {
    expect(await admins[1]?.info('replication')).toContain('master_link_status:up');
  });
  serving = first;
  wire = await openWire(() => serving.url, second.port);
  url = `redis://:${password}@127.0.0.1:${wire.port}`;
});
afterEach(async () => {
  for (const admin of admins) admin.disconnect();
  await wire.close();
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

/** What managed Redis does: the address leads to the replica from now on; the demoted one closes nothing. */
async function failOver(): Promise<void> {
  await admins[1]?.replicaof('NO', 'ONE');
  serving = servers[1]!;
  await admins[0]?.replicaof('127.0.0.1', serving.port);
}

describe('a primary that is demoted and keeps its connections', () => {
  it('is left by producers and consumers, and no wake-up is lost for good', async () => {
    const log = recordingLog();
    const handled: string[] = [];
    const producer = createProducer({ redisUrl: url, prefix: 'fail-over', log });
    const consumer = createConsumer({
      redisUrl: url,
      prefix: 'fail-over',
      job: 'video.advance',
      handle: (id) => {
        handled.push(id);
        return Promise.resolve(done);
      },
      log,
    });
    await consumer.part.start?.();
    await eventually(() => producer.check());
    const [before, after] = [aTaskId(), aTaskId()];
    await producer.wake('video.advance', before);
    await eventuallyEqual(() => handled, [before]);

    await failOver();

    // Whoever asks whether it is ready is told so, and brings it about that it is again.
    await expect(producer.check()).rejects.toThrow('READONLY');
    await eventually(() => producer.check());
    await producer.wake('video.advance', after);
    await eventuallyEqual(() => handled, [before, after]);
    await eventually(() => consumer.check());
    await consumer.part.stop();
    await producer.part.stop();
  });

  it('is left by the limits that replicas share', async () => {
    const limits = createSharedLimits({
      redisUrl: url,
      prefix: 'fail-over',
      replicaId: 'one',
      log: recordingLog(),
    });
    await limits.part.start?.();
    await eventually(() => limits.check());

    await failOver();

    // Nobody has asked yet whether Redis is ready: the refusal itself says that it is not.
    const bounds = { requestsPerMinute: 100, concurrentRequests: 5 };
    const { decision, slot } = await limits.requests.admit('somebody new', bounds);
    expect(decision.allowed).toBe(true);
    expect(slot).toBeDefined();
    await eventually(() => limits.check());
    await limits.part.stop();
  });
});
