import type { Socket } from 'node:net';
import type pg from 'pg';

export interface SilenceWatchOptions {
  /** How long a server may say nothing while a statement waits for it. */
  readonly silentMs: number;
}

/** A silence is noticed in as many steps: so much later than it should be, in parts of it. */
const ticksToSilence = 30;
/** A connection that says goodbye to a silent server is not waited for. */
const goodbyeMs = 1_000;

interface Line {
  readonly client: pg.PoolClient;
  bytesRead: number;
  /** Tick at which something had come from the server. */
  heardAt: number;
  /** Tick before the statement that waits; undefined: none does. */
  askedAt: number | undefined;
}

/**
 * Throws away connections whose server has fallen silent: a node that is lost, or packets that are
 * dropped, end no connection for a quarter of an hour. What waits on such a connection rejects with
 * `ETIMEDOUT`, and what became of it is not known. With the first one go all that were silent as
 * long: those at rest in the pool would cost the next statements as much time each.
 *
 * The server speaks before: it cancels a statement that takes too long (`statement_timeout`), so
 * only silence is silence. Node cannot set TCP_USER_TIMEOUT, and pg's `query_timeout` takes one
 * statement off a connection without ending what waits behind it. Time counts in ticks of this
 * process: one that was stopped for a while has not waited.
 */
export function watchSilence(
  pool: pg.Pool,
  { silentMs }: SilenceWatchOptions,
): { readonly stop: () => void } {
  const lines = new Map<pg.PoolClient, Line>();
  const tickMs = silentMs / ticksToSilence;
  let now = 0;
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    now += 1;
    for (const line of lines.values()) {
      const { bytesRead } = socketOf(line.client);
      if (bytesRead !== line.bytesRead) [line.bytesRead, line.heardAt] = [bytesRead, now];
    }
    for (const line of lines.values()) if (hasWaited(line, now)) throwAway(line, silentMs);
  };
  const throwAway = (silent: Line, forMs: number): void => {
    const since = Math.max(silent.askedAt ?? 0, silent.heardAt);
    for (const line of lines.values()) {
      // What was heard just before was noted one tick later.
      const isAsSilent = line.heardAt <= since + 1;
      const isAtRest = line.askedAt === undefined;
      if (line === silent || (isAsSilent && (isAtRest || hasWaited(line, now)))) {
        lines.delete(line.client);
        socketOf(line.client).destroy(new SilentServerError(forMs));
      }
    }
  };
  pool.on('connect', (client) => {
    timer ??= setInterval(tick, tickMs).unref();
    lines.set(
      client,
      listen(client, () => now),
    );
    client.once('end', () => lines.delete(client));
  });
  return {
    stop() {
      clearInterval(timer);
    },
  };
}

const hasWaited = ({ askedAt, heardAt }: Line, now: number): boolean =>
  askedAt !== undefined && now - Math.max(askedAt, heardAt) > ticksToSilence;

const socketOf = (client: pg.PoolClient): Socket => client.connection.stream as Socket;

/** Notes when a statement is sent and when none waits any more. */
function listen(client: pg.PoolClient, now: () => number): Line {
  const line: Line = {
    client,
    bytesRead: socketOf(client).bytesRead,
    heardAt: now(),
    askedAt: undefined,
  };
  const send = client.query.bind(client) as (...statement: unknown[]) => unknown;
  client.query = ((...statement: unknown[]) => {
    line.askedAt ??= now();
    return send(...statement);
  }) as typeof client.query;
  client.on('drain', () => {
    line.askedAt = undefined;
  });
  boundGoodbye(client);
  return line;
}

/** The driver waits for the server to close the connection, which a silent one never does. */
function boundGoodbye(client: pg.PoolClient): void {
  const end = client.end.bind(client) as (...done: unknown[]) => unknown;
  client.end = ((...done: unknown[]) => {
    const timer = setTimeout(() => socketOf(client).destroy(), goodbyeMs).unref();
    client.once('end', () => {
      clearTimeout(timer);
    });
    return end(...done);
  }) as typeof client.end;
}

/** Nobody knows what became of the statement. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = 'ETIMEDOUT';

  constructor(forMs: number) {
    super(`the database has not responded for ${Math.round(forMs)} ms`);
  }
}
