import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { failureOf } from '@gateway/runtime';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

/** As Prisma 7 throws what it has no code of its own for. */
const raisedThroughPrisma = (originalCode: string): Error =>
  Object.assign(withCode('P2039'), {
    meta: {
      driverAdapterError: Object.assign(new Error('postgres'), {
        cause: { kind: 'postgres', originalCode },
      }),
    },
  });

describe('what a caller is told of something thrown', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    [
      'every address of a host refused',
      Object.assign(new AggregateError([withCode('ECONNREFUSED')]), { code: undefined }),
    ],
    ['a name that cannot be resolved', withCode('EAI_AGAIN')],
    ['a server that shuts down', withCode('57P01')],
    ['a server that starts', withCode('57P03')],
    ['a server that Prisma cannot reach', withCode('P1001')],
    ['a server that starts, as Prisma tells it', raisedThroughPrisma('57P03')],
    ['a server without room', withCode('53300')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['a pool that found no connection', new Error('timeout exceeded when trying to connect')],
    [
      'a driver’s error below another',
      new Error('query failed', { cause: withCode('ECONNRESET') }),
    ],
  ])('is to try again for %s', (_name, thrown) => {
    expect(failureOf(thrown)).toMatchObject({
      code: 'upstream_unavailable',
      retryAfterMs: 1_000,
      cause: thrown,
    });
  });

  it.each([
    ['a fault of ours', new TypeError('x is not a function')],
    ['a constraint', withCode('23505')],
    ['a wrong statement, as Prisma tells it', raisedThroughPrisma('42601')],
    ['nothing', undefined],
    ['a word', 'ECONNREFUSED'],
  ])('is internal for %s', (_name, thrown) => {
    expect(failureOf(thrown)).toMatchObject({ code: 'internal' });
  });

  it('stays what it is when it has a code of the catalogue, whatever caused it', () => {
    const error = new GatewayError('billing_unavailable', 'no', {
      cause: withCode('ECONNREFUSED'),
    });

    expect(failureOf(error)).toBe(error);
  });
});
