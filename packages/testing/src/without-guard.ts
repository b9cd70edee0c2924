import type { Database } from '@gateway/store';

/** A protection of one statement, and what stands in its place while it is off. */
export interface Guard {
  /** The name of the prepared statement, or words that no other statement has. */
  readonly statement: string;
  readonly text: string;
  readonly instead: string;
}

export interface Unguarded {
  readonly database: Database;
  /** Statements that ran without their guard. A mutation that never ran shows nothing. */
  removed(): number;
}

type Query = (config: unknown, ...rest: unknown[]) => unknown;
interface Statement {
  readonly name?: string;
  readonly text: string;
}

/**
 * The same database for a program from which a protection was taken away: the guard's words are cut
 * out of the statement on its way to Postgres. No part of the gateway knows of it. Throws inside
 * the query when the statement does not have these words.
 */
export function withoutGuard(database: Database, guards: readonly Guard[]): Unguarded {
  let removed = 0;
  const cut = (config: unknown): unknown => {
    if (typeof config === 'string') return cutText({ text: config });
    return isStatement(config) ? { ...config, text: cutText(config) } : config;
  };
  const cutText = ({ name, text }: Statement): string => {
    const meant = guards.filter(
      ({ statement }) => name === statement || (name === undefined && text.includes(statement)),
    );
    return meant.reduce((left, guard) => {
      if (!left.includes(guard.text)) {
        throw new Error(`the statement ${guard.statement} has no ${guard.text}`);
      }
      removed += 1;
      return left.replaceAll(guard.text, guard.instead);
    }, text);
  };
  const wrap = <Target extends { query: unknown }>(
    target: Target,
    more: Readonly<Record<string, unknown>> = {},
  ): Target =>
    new Proxy(target, {
      get(from, key) {
        if (key === 'query') {
          return (config: unknown, ...rest: unknown[]) =>
            (from.query as Query).call(from, cut(config), ...rest);
        }
        if (typeof key === 'string' && key in more) return more[key];
        const value: unknown = Reflect.get(from, key);
        return typeof value === 'function' ? (value as Query).bind(from) : value;
      },
    });
  const pool = wrap(database.pool, { connect: async () => wrap(await database.pool.connect()) });
  return {
    removed: () => removed,
    database: {
      pool,
      seal: database.seal,
      prisma: database.prisma,
      check: database.check,
      openClient: database.openClient,
      readTime: database.readTime,
      part: database.part,
    },
  };
}

const isStatement = (config: unknown): config is Statement =>
  typeof config === 'object' && config !== null && 'text' in config;
