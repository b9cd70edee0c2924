import { Redis } from 'ioredis';
import type { Log } from '@gateway/runtime';
import { scripts, type ScriptName } from './scripts.ts';

/** What replicas tell each other. Any of it may be lost. */
export type Message =
  | { readonly kind: 'slots_wanted'; readonly name: string }
  | {
      readonly kind: 'circuit_opened';
      readonly name: string;
      readonly coolDownMs: number;
      readonly openings: number;
    }
  | { readonly kind: 'circuit_closed' | 'probe_wanted' | 'probe_free'; readonly name: string };

/** One call of a script on one key. */
export interface Call {
  readonly script: ScriptName;
  readonly key: string;
  readonly values?: readonly (string | number)[];
}

/** The way to Redis, which may be gone at any moment. */
export interface Link {
  /** False: decide with what this replica knows. */
  isUp(): boolean;
  /**
   * Rejects when Redis is away or refuses, or does not answer in time; the link is down from then
   * on.
   */
  run(call: Call): Promise<unknown>;
  /** Tells the other replicas; never throws, and nobody may hear it. */
  tell(message: Message): void;
  /** Called each time Redis has come (back); what it answers is waited for at start. */
  onUp(listener: () => void | Promise<void>): void;
  onMessage(listener: (message: Message) => void): void;
  check(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LinkOptions {
  readonly redisUrl: string;
  /** Everything of ours in Redis begins with it. */
  readonly prefix: string;
  readonly replicaId: string;
  readonly log: Log;
  readonly commandTimeoutMs: number;
}

/**
 * A Redis that answers nothing for so many looks in a row is dialled anew: its connection may be
 * half open.
 */
const looksBeforeRedial = 3;
const lookEveryMs = 1_000;
/** A start waits no longer than this for a Redis that neither answers nor refuses. */
const startWaitMs = 1_000;

const retryStrategy = (times: number): number => Math.min(100 * 2 ** Math.min(times, 5), 2_000);

/**
 * Two connections (one listens), one verdict: up or down. Each outage is one warning in the log,
 * each return one line.
 */
export function createLink(options: LinkOptions): Link {
  const { redis, subscriber } = connect(options);
  const outage = createOutage(options.log);
  const channel = `${options.prefix}:replicas`;
  const upListeners: (() => void | Promise<void>)[] = [];
  const messageListeners: ((message: Message) => void)[] = [];
  const send = ({ script, key, values = [] }: Call): Promise<unknown> =>
    (redis as unknown as Record<ScriptName, (...all: (string | number)[]) => Promise<unknown>>)[
      script
    ](`${options.prefix}:${key}`, ...values);
  const watch = watchOver(redis, {
    outage,
    tryOut: () => send({ script: 'tryOut', key: `trial:${options.replicaId}` }),
    cameUp: () => {
      void Promise.allSettled([
        isListening,
        ...upListeners.map(async (listener) => {
          await listener();
        }),
      ]).then(outage.settle);
    },
  });
  const isListening = listenTo(subscriber, channel, (text) => {
    const message = readMessage(text, options.replicaId);
    if (message !== undefined) for (const listener of messageListeners) listener(message);
  });
  return {
    isUp: outage.isOver,
    async run(call) {
      try {
        return await send(call);
      } catch (error) {
        watch.down(error);
        throw error;
      }
    },
    tell(message) {
      if (outage.isOver()) {
        redis
          .publish(channel, JSON.stringify({ from: options.replicaId, ...message }))
          .catch(watch.down);
      }
    },
    onUp: (listener) => {
      upListeners.push(listener);
    },
    onMessage: (listener) => {
      messageListeners.push(listener);
    },
    async check() {
      await redis.ping();
    },
    async start() {
      const settled = outage.settled(startWaitMs);
      // told by its events
      for (const connection of [redis, subscriber]) connection.connect().catch(() => undefined);
      await settled;
    },
    async stop() {
      watch.end();
      await Promise.all(
        [redis, subscriber].map(async (connection) => {
          if (connection.status === 'ready') await connection.quit().catch(() => undefined);
          connection.disconnect();
        }),
      );
    },
  };
}

interface Watch {
  /** Something failed for this reason. */
  down(error: unknown): void;
  end(): void;
}

interface Watched {
  readonly outage: Outage;
  readonly tryOut: () => Promise<unknown>;
  readonly cameUp: () => void;
}

/**
 * Down is whatever fails; up is what can run a script that writes: a connection alone proves
 * nothing.
 */
function watchOver(redis: Redis, { outage, tryOut, cameUp }: Watched): Watch {
  let isEnded = false;
  let looking: NodeJS.Timeout | undefined;
  const lookLater = (failedLooks: number): void => {
    clearTimeout(looking);
    looking = setTimeout(look, lookEveryMs, failedLooks).unref();
  };
  const down = (error: unknown): void => {
    if (isEnded) return;
    outage.begin(reasonOf(error));
    if (looking === undefined) lookLater(0);
  };
  const look = (failedLooks: number): void => {
    clearTimeout(looking);
    looking = undefined;
    if (isEnded || redis.status !== 'ready') return; // when it is, this is called again
    tryOut().then(
      () => {
        if (!isEnded && outage.end()) cameUp();
      },
      (error: unknown) => {
        if (isEnded) return;
        outage.begin(reasonOf(error));
        lookLater(failedLooks + 1);
        if (failedLooks + 1 >= looksBeforeRedial) redis.disconnect(true);
      },
    );
  };
  redis.on('ready', () => {
    look(0);
  });
  redis.on('error', down);
  redis.on('close', () => {
    down({ message: 'the connection was closed' });
  });
  return {
    down,
    end() {
      isEnded = true;
      clearTimeout(looking);
      outage.close();
    },
  };
}

/** Resolves when it hears for the first time. */
function listenTo(subscriber: Redis, channel: string, hear: (text: string) => void): Promise<void> {
  subscriber.on('error', () => undefined); // an outage is told once, by the other connection
  subscriber.on('message', (_channel: string, text: string) => {
    hear(text);
  });
  return new Promise((resolve) => {
    subscriber.on('ready', () => {
      subscriber.subscribe(channel).then(
        () => {
          resolve();
        },
        () => undefined,
      );
    });
  });
}

function connect({ redisUrl, commandTimeoutMs }: LinkOptions): { redis: Redis; subscriber: Redis } {
  const common = {
    lazyConnect: true,
    connectTimeout: 2_000,
    retryStrategy,
    autoResubscribe: false,
    commandTimeout: commandTimeoutMs,
  };
  // Nothing is queued and nothing is sent twice: a lease that was asked for before an outage is of
  // no use after it.
  const redis = new Redis(redisUrl, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });
  for (const [name, lua] of Object.entries(scripts)) {
    redis.defineCommand(name, { lua, numberOfKeys: 1 });
  }
  return { redis, subscriber: new Redis(redisUrl, { ...common, maxRetriesPerRequest: 0 }) };
}

interface Outage {
  isOver(): boolean;
  begin(reason: string): void;
  /** False when there was none. */
  end(): boolean;
  /** Resolves when it has begun in earnest, when `settle` is called, or after `withinMs`. */
  settled(withinMs: number): Promise<void>;
  settle(): void;
  close(): void;
}

/** Starts as an outage that nobody has been told of: Redis is not there before it has answered. */
function createOutage(log: Log): Outage {
  let up = false;
  let told = false;
  let settle = (): void => undefined;
  return {
    isOver: () => up,
    begin(reason) {
      up = false;
      if (!told) log.warn('redis is away, limits are counted by each replica alone', { reason });
      told = true;
      settle();
    },
    end() {
      if (up) return false;
      up = true;
      if (told) log.info('redis is back, limits are shared again');
      told = false;
      return true;
    },
    settled: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        settle = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    settle: () => {
      settle();
    },
    close() {
      up = false;
    },
  };
}

/** Undefined for our own messages and for what is none. */
function readMessage(text: string, replicaId: string): Message | undefined {
  try {
    const message = JSON.parse(text) as Message & { readonly from?: string };
    return message.from === replicaId ? undefined : message;
  } catch {
    return undefined;
  }
}

/** Errors of a refused connection come as an AggregateError without words. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return [message, code].find((text) => text !== undefined && text !== '') ?? 'no reason given';
}
