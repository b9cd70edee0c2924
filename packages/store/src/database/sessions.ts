// SQL by hand: settings of a session.
import pg from 'pg';

/** In ms; of every session of a pool. */
export interface SessionBounds {
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
  readonly lockTimeoutMs: number | undefined;
}

/**
 * Whether the address says that it leads through a pooler which gives a server's session to each
 * transaction anew (`?pgbouncer=true`, as Prisma reads it). Nothing may be left in such a session: no
 * setting, which would be the next one's, and no named statement, which that one would not find.
 */
export const sharesSessions = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';

/**
 * Connections whose session has these bounds before its first statement. Not as parameters of the
 * start: poolers refuse those that they do not know.
 */
export const boundedClient = (bounds: SessionBounds): typeof pg.Client => {
  const text = [
    `SET statement_timeout = ${bounds.statementTimeoutMs}`,
    `SET idle_in_transaction_session_timeout = ${bounds.idleInTransactionMs}`,
    ...(bounds.lockTimeoutMs === undefined ? [] : [`SET lock_timeout = ${bounds.lockTimeoutMs}`]),
  ].join('; ');
  return class BoundedClient extends pg.Client {
    override connect = ((callback?: (error?: Error) => void) => {
      // The pool listens only later: a connection that breaks until then would end the process.
      this.on('error', () => undefined);
      const connected = super.connect().then(async () => {
        await this.query(text);
        return this;
      });
      if (callback === undefined) return connected;
      connected.then(
        () => {
          callback();
        },
        (error: unknown) => {
          this.connection.stream.destroy();
          callback(error as Error);
        },
      );
      return undefined;
    }) as pg.Client['connect'];
  };
};

type Query = (...statement: unknown[]) => unknown;

/** Connections that name no statement. */
export class NamelessClient extends pg.Client {
  override query = ((statement: unknown, ...rest: unknown[]) => {
    const send = pg.Client.prototype.query.bind(this) as Query;
    return send(isNamed(statement) ? { ...statement, name: undefined } : statement, ...rest);
  }) as pg.Client['query'];
}

const isNamed = (statement: unknown): statement is pg.QueryConfig =>
  typeof statement === 'object' &&
  statement !== null &&
  'name' in statement &&
  !('submit' in statement);
