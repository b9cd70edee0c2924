import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../generated/client.ts';

/**
 * Prisma on the pool that the statements by hand use: one number of connections, one statement
 * timeout and one repetition after a deadlock for both. A statement that fails rejects with the
 * driver's own error, so that SQLSTATE, constraint and `ECONNREFUSED` are read in one way
 * everywhere.
 */
export function createPrisma(pool: pg.Pool): PrismaClient {
  const client = new PrismaClient({ adapter: new PrismaPg(wrappingErrors(pool)) });
  const unwrapping = client.$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return (await query(args)) as unknown;
        } catch (error) {
          throw error instanceof Error && driverError in error ? error[driverError] : error;
        }
      },
    },
  });
  // An extension of queries leaves the client's type as it is.
  return unwrapping as unknown as PrismaClient;
}

const driverError = Symbol('error of the driver');

/**
 * The pool, but for the errors of its statements: Prisma translates those that have a code and
 * passes on the others.
 */
function wrappingErrors(pool: pg.Pool): pg.Pool {
  const query = async (statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      return await pool.query(statement);
    } catch (error) {
      throw Object.assign(new Error('the statement failed'), { [driverError]: error });
    }
  };
  return new Proxy(pool, {
    get: (target, key): unknown => (key === 'query' ? query : Reflect.get(target, key)),
  });
}
