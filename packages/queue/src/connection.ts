import type { Command, Redis, RedisOptions } from 'ioredis';
import type { Log } from '@gateway/runtime';
import { openRedis } from './open-redis.ts';

/** Where Redis is, and when it counts as silent. */
export interface RedisAddress {
  readonly redisUrl: string;
  /** A connection that says nothing for this long while a command waits is thrown away. */
  readonly redisSilentMs?: number;
  /** A producer's command that takes longer has failed. */
  readonly commandMs?: number;
}

const usualSilentMs = 8_000;
/** A worker that waits for a job hears nothing for so long, and BullMQ watches over that itself. */
const longestBlockMs = 10_000;
/** How long a connection may rest before the kernel asks whether the other side is still there. */
const keepAliveMs = 5_000;

/**
 * For producers: a command fails at once when Redis is away, so that a request never waits for it.
 * Postgres knows what is due.
 */
export const connectFailingFast = (address: RedisAddress, log: Log): Redis =>
  connect(address, log, {
    reconnectOnError: (error) => isNoPrimary(error) && 1,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: address.commandMs ?? 2_000,
  });

export interface PatientConnection {
  readonly redis: Redis;
  /** Fails every command that still waits, on this connection and those made of it. */
  readonly abandonCommands: () => void;
}

/** For workers, as BullMQ wants it: commands wait for the connection to come back. */
export function connectPatiently(address: RedisAddress, log: Log): PatientConnection {
  const redis = connect(address, log, {
    // The command is sent again once there is another connection: it has changed nothing.
    reconnectOnError: (error) => isNoPrimary(error) && 2,
    maxRetriesPerRequest: null,
  });
  const all = [redis];
  const duplicate = redis.duplicate.bind(redis);
  const { redisSilentMs = usualSilentMs } = address;
  // BullMQ makes its blocking connection of this one.
  redis.duplicate = (options) => {
    const socketTimeout = longestBlockMs + redisSilentMs;
    const made = endSilenceTimers(duplicate({ ...options, socketTimeout }));
    all.push(made);
    return made;
  };
  return {
    redis,
    abandonCommands() {
      all.forEach(abandonCommands);
    },
  };
}

/**
 * ioredis 6.0 never settles the commands of a connection that is closed while it waits to dial again.
 * BullMQ's blocking one would hold a stopped process for another six seconds, until its watchdog.
 */
function abandonCommands(redis: Redis): void {
  const { prevCommandQueue: unsettled } = redis as unknown as {
    readonly prevCommandQueue?: { shift(): { readonly command: Command } | undefined } | null;
  };
  const closed = new Error('Connection is closed.');
  for (let item = unsettled?.shift(); item !== undefined; item = unsettled?.shift()) {
    item.command.reject(closed);
  }
}

/**
 * ioredis 6.0 leaves the timer of a silent connection running when that is closed: it would keep the
 * process alive, and the next connection go without one.
 */
function endSilenceTimers(redis: Redis): Redis {
  const timed = redis as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  return redis.on('close', () => {
    clearTimeout(timed.socketTimeoutTimer);
    timed.socketTimeoutTimer = undefined;
  });
}

function connect(
  { redisUrl, redisSilentMs = usualSilentMs }: RedisAddress,
  log: Log,
  options: Pick<
    RedisOptions,
    'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'reconnectOnError'
  >,
): Redis {
  const redis = openRedis(redisUrl, {
    connectTimeout: 2_000,
    socketTimeout: redisSilentMs,
    keepAlive: keepAliveMs,
    retryStrategy,
    ...options,
  });
  redis.on('error', (error: Error) => {
    log.warn('redis connection failed', { reason: error.message });
  });
  return endSilenceTimers(redis);
}

/**
 * A primary that was demoted keeps its connections and refuses every write on them; one that still
 * reads its data refuses everything. The address leads to the new primary, so a new connection helps.
 */
const isNoPrimary = ({ message }: Error): boolean => /READONLY|LOADING|UNBLOCKED/.test(message);

/** Resolves when Redis takes a write; rejects when it is away, or no primary any more. */
export async function checkWrites(redis: Redis, prefix: string): Promise<void> {
  await redis.set(`${prefix}:ready`, '1', 'PX', 1_000);
}

const retryStrategy = (times: number): number => Math.min(100 * 2 ** Math.min(times, 5), 2_000);

/** A Redis that does not say goodbye within this is not waited for. */
const quitWithinMs = 1_000;

/** Ends a connection politely when it is up, at once when it is not, or turns out not to be. */
export async function closeConnection(redis: Redis): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, quitWithinMs);
  });
  if (redis.status === 'ready') await Promise.race([redis.quit().catch(() => undefined), late]);
  clearTimeout(timer);
  redis.disconnect();
}
