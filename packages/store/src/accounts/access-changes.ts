// SQL by hand: LISTEN and NOTIFY have no other words.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../database/database.ts';

/** What was heard of changes of keys and accounts. */
export interface AccessChanges {
  /**
   * Every change that was committed before this was told, in ms of `performance.now()`; -Infinity
   * while nothing can be said.
   */
  heardUntilMs(): number;
  /**
   * Raised whenever changes may have been missed: what was read under another number is not kept up
   * by what is told.
   */
  epoch(): number;
  readonly part: { readonly name: string; start(): Promise<void>; stop(): Promise<void> };
}

export interface AccessChangesOptions {
  /** Something about this account, or one of its keys, is other than it was. */
  readonly onChange: (accountId: string) => void;
  readonly log: {
    warn(message: string, fields: object): void;
    info(message: string, fields?: object): void;
  };
  readonly timings?: Partial<ListeningTimings>;
}

interface ListeningTimings {
  /** How often this asks itself to be heard. */
  readonly askMs: number;
  /** A connection on which that was not heard for so long is thrown away. */
  readonly silentMs: number;
  readonly reconnectMs: number;
}

const usualTimings: ListeningTimings = { askMs: 1_000, silentMs: 9_000, reconnectMs: 1_000 };

/** A silent server is not waited for. */
const goodbyeMs = 1_000;

/** Named by the migration whose triggers tell. */
const channel = 'gateway_access';

/** Nothing is heard where a trigger is missing or disabled: then changes are not told. */
const askSql = `
  SELECT pg_notify($1, $2) FROM pg_trigger
  WHERE tgrelid IN ('api_key'::regclass, 'account'::regclass) AND tgenabled = 'A'
    AND tgname IN ('api_key_tells_change', 'api_key_tells_removal', 'account_tells_change')
  HAVING count(*) = 3`;

/**
 * Hears of changes on a connection of its own. PostgreSQL delivers notifications in the order of
 * their commits, so each second this notifies itself: when that has arrived, all that was committed
 * before it was sent has arrived too. A channel that is slow, silent or gone is known to be by that.
 * It is sent on the pool, so that it has to come the way that changes come: behind a pooler that
 * shares sessions nothing is heard.
 */
export function openAccessChanges(
  { openClient, pool }: Pick<Database, 'openClient' | 'pool'>,
  { onChange, log, timings: given = {} }: AccessChangesOptions,
): AccessChanges {
  const timings = { ...usualTimings, ...given };
  let epoch = 0;
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWarned = false;
  let isStopped = false;
  const lost = (reason: string): void => {
    listening = undefined;
    if (isStopped) return;
    if (!isWarned) {
      log.warn('changes of keys are not told, each key is read again every few seconds', {
        reason,
      });
    }
    isWarned = true;
    timer = setTimeout(connect, timings.reconnectMs).unref();
  };
  const connect = (): void => {
    if (openClient === undefined) return;
    const begun = (): void => {
      epoch += 1;
      if (isWarned) log.info('changes of keys are told again');
      isWarned = false;
    };
    const askFor = async (own: string): Promise<void> => {
      await pool.query({
        name: 'ask-access-changes',
        text: askSql,
        values: [own, String(performance.now())],
      });
    };
    listening = listen(openClient(), { ...timings, onChange, begun, lost, askFor });
  };
  return {
    heardUntilMs: () => listening?.heardUntilMs() ?? -Infinity,
    epoch: () => epoch,
    part: {
      name: 'access changes',
      start() {
        connect();
        return Promise.resolve();
      },
      async stop() {
        isStopped = true;
        clearTimeout(timer);
        await listening?.end();
      },
    },
  };
}

interface Listening {
  heardUntilMs(): number;
  end(): Promise<void>;
}

interface ListenOptions extends ListeningTimings {
  /** Has this moment told on a channel. */
  readonly askFor: (own: string) => Promise<void>;
  readonly onChange: (accountId: string) => void;
  /** What is read from now on is kept up by what is told. */
  readonly begun: () => void;
  /** Called once, unless it is ended. */
  readonly lost: (reason: string) => void;
}

/** One connection, until it is lost. */
function listen(
  client: pg.Client,
  { askMs, silentMs, onChange, begun, lost, askFor }: ListenOptions,
): Listening {
  const own = `${channel}_${randomUUID().replaceAll('-', '')}`;
  let heardUntilMs = -Infinity;
  let isOver = false;
  const asking = createAsking({
    ask: () => askFor(own),
    mostUnheard: silentMs / askMs,
    silent() {
      end(`nothing was heard for ${silentMs} ms, or a trigger of the migrations is disabled`);
    },
  });
  const rounds = setInterval(asking.round, askMs).unref();
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(rounds);
    client.connection.stream.destroy();
    lost(reason);
  };
  const fail = (error: Error): void => {
    end(error.message);
  };
  client.on('error', fail);
  client.on('end', () => {
    end('the connection was closed');
  });
  client.on('notification', ({ channel: from, payload = '' }) => {
    if (isOver) return;
    if (from === channel) onChange(payload);
    else {
      heardUntilMs = Math.max(heardUntilMs, Number(payload));
      asking.heard();
    }
  });
  client
    .connect()
    .then(async () => {
      await client.query(`LISTEN ${channel}; LISTEN ${own}`);
      begun();
      asking.round();
    })
    .catch(fail);
  return {
    heardUntilMs: () => heardUntilMs,
    async end() {
      isOver = true;
      clearInterval(rounds);
      const impatient = setTimeout(() => client.connection.stream.destroy(), goodbyeMs);
      await client.end().catch(() => undefined);
      clearTimeout(impatient);
    },
  };
}

interface Asking {
  round(): void;
  heard(): void;
}

/**
 * Asks in every round, and counts how often nothing was heard: not by the clock, since a process that
 * was stopped for a while has not waited.
 */
function createAsking({
  ask,
  mostUnheard,
  silent,
}: {
  readonly ask: () => Promise<void>;
  readonly mostUnheard: number;
  readonly silent: () => void;
}): Asking {
  let unheard = 0;
  let isAsking = false;
  const asked = (): void => {
    isAsking = false;
  };
  return {
    round() {
      if (unheard > mostUnheard) {
        silent();
        return;
      }
      unheard += 1;
      if (isAsking) return;
      isAsking = true;
      // What cannot be asked is not heard either.
      ask().then(asked, asked);
    },
    heard() {
      unheard = 0;
    },
  };
}
