import {
  createSharedLimits,
  type SharedLimits,
  type SharedLimitsOptions,
  type Slot,
} from '@gateway/limits';
import { eventually, openWire, recordingLog, testRedis } from '@gateway/testing';
import { Redis } from 'ioredis';
import { deleteKeys } from '../queue/delete-keys.ts';

export type TestLog = ReturnType<typeof recordingLog>;

export interface Replica extends SharedLimits {
  readonly log: TestLog;
  /** What a crash looks like from Redis: its connections are gone and it gives nothing back. */
  die(): void;
  /** Nothing passes any more, and nobody is told. */
  fallSilent(): void;
  recover(): void;
  /** Another Redis has the address: what stood before stays silent. */
  isReplaced(): void;
}

export type ReplicaOptions = Partial<SharedLimitsOptions> & { readonly isCut?: boolean };

/**
 * Replicas of one deployment, under one key prefix, each on a wire of its own to the real Redis.
 */
export interface Deployment {
  replica(options?: ReplicaOptions): Promise<Replica>;
  /** What FLUSHALL does, to this prefix only: in one step no key is left. */
  flush(): Promise<void>;
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

export function openDeployment(): Deployment {
  const { url, prefix } = testRedis();
  const redis = new Redis(url);
  const ends: (() => Promise<void>)[] = [];
  const flush = async (): Promise<void> => {
    await deleteKeys(redis, `${prefix}:*`);
  };
  return {
    flush,
    keys: () => redis.keys(`${prefix}:*`),
    async replica({ isCut = false, ...options } = {}) {
      const wire = await openWire(url, 6379);
      if (isCut) wire.cut();
      const log = recordingLog();
      const limits = createSharedLimits({
        redisUrl: wire.url,
        prefix,
        replicaId: `replica-${ends.length}`,
        log,
        ...options,
      });
      ends.push(async () => {
        await limits.part.stop();
        await wire.close();
      });
      await limits.part.start?.();
      if (!isCut) await eventually(() => limits.check());
      return {
        ...limits,
        log,
        die: wire.cut,
        fallSilent: wire.fallSilent,
        recover: wire.mend,
        isReplaced: wire.replace,
      };
    },
    async close() {
      await Promise.all(ends.map((end) => end()));
      await flush();
      await redis.quit();
    },
  };
}

/** So many requests one after another; returns how many were admitted. */
export async function takeMany(
  { rate }: SharedLimits,
  {
    subject = 'key',
    limit,
    times,
  }: { readonly subject?: string; readonly limit: number; readonly times: number },
): Promise<number> {
  let admitted = 0;
  for (let time = 0; time < times; time += 1) {
    if ((await rate.take(subject, limit)).allowed) admitted += 1;
  }
  return admitted;
}

/** Slots until one is refused, or `most` of them. */
export async function acquireMany(
  { slots }: SharedLimits,
  {
    subject = 'key',
    limit,
    most,
  }: { readonly subject?: string; readonly limit: number; readonly most: number },
): Promise<Slot[]> {
  const got: Slot[] = [];
  while (got.length < most) {
    const slot = await slots.acquire(subject, limit);
    if (slot === undefined) return got;
    got.push(slot);
  }
  return got;
}
