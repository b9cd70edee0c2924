import { Redis, type RedisOptions } from 'ioredis';
import { readSentinels, type Log } from '@gateway/runtime';
import { watchConnection } from './connection-watch.ts';
import { createOutage } from './outage.ts';
import { listenTo, readMessage, type ReplicaMessage } from './replica-messages.ts';
import { batchScript } from './batch-script.ts';
import { createScriptBatches, type BatchedCall, type SendBatch } from './script-batches.ts';
import { scripts, type ScriptName } from './scripts.ts';

/** One call of a script on one key. */
export type ScriptCall =
  | BatchedCall
  | {
      readonly script: ScriptName;
      readonly key: string;
      readonly values?: readonly (string | number)[];
    };

/** The connection to Redis, which may be lost at any moment. */
export interface RedisConnection {
  /** False: decide with what this replica knows. */
  isUp(): boolean;
  /**
   * Rejects when Redis is away or refuses, or does not respond in time; the connection is down from
   * then on. Batched scripts of one turn of the event loop go in one trip; one of them that fails
   * for a reason of its own rejects alone, and says nothing about the connection.
   */
  run(call: ScriptCall): Promise<unknown>;
  /** Tells the other replicas; never throws, and perhaps nobody hears it. */
  tell(message: ReplicaMessage): void;
  /** Called each time Redis has come (back); the start waits for what it returns. */
  onUp(listener: () => void | Promise<void>): void;
  onMessage(listener: (message: ReplicaMessage) => void): void;
  check(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RedisConnectionOptions {
  readonly redisUrl: string;
  /** Everything of ours in Redis begins with it. */
  readonly prefix: string;
  readonly replicaId: string;
  readonly log: Log;
  readonly commandTimeoutMs: number;
}

/** A start waits no longer than this for a Redis that neither responds nor refuses. */
const startWaitMs = 1_000;

const silentCommands = 3;

/** How often the connection that only listens is asked whether it still hears. */
const askListenerMs = 3_000;

const retryStrategy = (times: number): number => Math.min(100 * 2 ** Math.min(times, 5), 2_000);

/** Two connections (one listens), one verdict: up or down. */
export function connectRedis(options: RedisConnectionOptions): RedisConnection {
  const { redis, subscriber } = openConnections(options);
  const outage = createOutage(options.log);
  const channel = `${options.prefix}:replicas`;
  const upListeners: (() => void | Promise<void>)[] = [];
  const messageListeners: ((message: ReplicaMessage) => void)[] = [];
  const send = scriptRunner(redis, options.prefix);
  const failed = (error: unknown): never => {
    if (!isOfOneKey(error)) watch.down(error);
    throw error;
  };
  const inBatch = createScriptBatches(batchRunner(redis, options.prefix));
  const asking = keepAsking(subscriber);
  const isListening = listenTo(subscriber, channel, (text) => {
    const message = readMessage(text, options.replicaId);
    if (message !== undefined) for (const listener of messageListeners) listener(message);
  });
  const callUpListeners = (): Promise<void>[] =>
    upListeners.map(async (listener) => {
      await listener();
    });
  const watch = watchConnection(redis, {
    outage,
    tryOut: () => send({ script: 'tryOut', key: `trial:${options.replicaId}` }),
    cameUp: () => {
      void Promise.allSettled([isListening, ...callUpListeners()]).then(outage.settle);
    },
  });
  return {
    isUp: outage.isOver,
    run: (call) => (isBatched(call) ? inBatch(call) : send(call)).catch(failed),
    tell(message) {
      if (!outage.isOver()) return;
      const text = JSON.stringify({ from: options.replicaId, ...message });
      redis.publish(channel, text).catch(watch.down);
    },
    onUp: (listener) => {
      upListeners.push(listener);
    },
    onMessage: (listener) => {
      messageListeners.push(listener);
    },
    // A write: a primary that was demoted answers everything else.
    async check() {
      await send({ script: 'tryOut', key: `trial:${options.replicaId}` });
    },
    async start() {
      const settled = outage.settled(startWaitMs);
      // their events report how it goes
      for (const connection of [redis, subscriber]) connection.connect().catch(() => undefined);
      await settled;
    },
    async stop() {
      watch.end();
      clearInterval(asking);
      await Promise.all([redis, subscriber].map(quit));
    },
  };
}

/**
 * Nothing waits on a connection that only listens, so nothing notices that nobody speaks any more:
 * it is asked now and then, and thrown away like any other when it does not respond.
 */
const keepAsking = (subscriber: Redis): NodeJS.Timeout =>
  setInterval(() => {
    if (subscriber.status === 'ready') subscriber.ping().catch(() => undefined);
  }, askListenerMs).unref();

/**
 * Whether a refusal says something of its key alone. All others are the server's (READONLY, OOM,
 * MISCONF …), also where they come as the result of one decision among many.
 */
const isOfOneKey = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('WRONGTYPE');

const isBatched = (call: ScriptCall): call is BatchedCall =>
  call.script === 'takeRate' || call.script === 'holdSlots';

/** async: a batch that cannot even be sent rejects, too. */
const batchRunner =
  (redis: Redis, prefix: string): SendBatch =>
  async (calls) => {
    const { decideBatch } = redis as unknown as {
      decideBatch: (...all: (string | number)[]) => Promise<unknown[]>;
    };
    const keys = calls.map(({ key }) => `${prefix}:${key}`);
    const words = calls.map(({ script, values }) => `${script} ${values.join(' ')}`);
    return decideBatch.call(redis, calls.length, ...keys, ...words);
  };

const scriptRunner =
  (redis: Redis, prefix: string) =>
  // async: a command that cannot even be sent rejects, too
  async ({ script, key, values = [] }: Exclude<ScriptCall, BatchedCall>): Promise<unknown> => {
    const commands = redis as unknown as Record<
      ScriptName,
      (...all: (string | number)[]) => Promise<unknown>
    >;
    return commands[script](`${prefix}:${key}`, ...values);
  };

async function quit(connection: Redis): Promise<void> {
  if (connection.status === 'ready') await connection.quit().catch(() => undefined);
  connection.disconnect();
}

function openConnections({ redisUrl, commandTimeoutMs }: RedisConnectionOptions): {
  redis: Redis;
  subscriber: Redis;
} {
  const common = {
    lazyConnect: true,
    connectTimeout: 2_000,
    retryStrategy,
    // A primary that was demoted keeps its connections: only a new one leads to the new primary.
    reconnectOnError: ({ message }: Error) => /READONLY|LOADING/.test(message) && (1 as const),
    autoResubscribe: false,
    commandTimeout: commandTimeoutMs,
    // A connection that let several commands in a row wait in vain is thrown away.
    socketTimeout: silentCommands * commandTimeoutMs,
    keepAlive: 5_000,
  };
  // Nothing is queued and nothing is sent twice: a lease asked for before an outage is useless
  // after it.
  const sentinels = readSentinels(redisUrl);
  const open = (options: Omit<RedisOptions, 'replyMapping'>): Redis =>
    sentinels === undefined
      ? new Redis(redisUrl, options)
      : new Redis({ ...sentinels, ...options });
  const redis = open({
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });
  for (const [name, lua] of Object.entries(scripts)) {
    redis.defineCommand(name, { lua, numberOfKeys: 1 });
  }
  redis.defineCommand('decideBatch', { lua: batchScript });
  return { redis, subscriber: open({ ...common, maxRetriesPerRequest: 0 }) };
}
