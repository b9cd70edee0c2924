import { describe, expect, it } from '@jest/globals';
import type { RouteBreakers, RouteFailure } from '@gateway/limits';
import type { TextRequest } from '../../../../services/api/src/text/request/index.ts';
import { reportOutcome } from '../../../../services/api/src/text/route/report-outcome.ts';
import type { UpstreamCall } from '../../../../services/api/src/text/upstream/index.ts';

/** By what breakers tell the failed request of these pieces from others. */
function onceOf(...pieces: readonly string[]): string | undefined {
  const told: RouteFailure[] = [];
  const breakers: Pick<RouteBreakers, 'failed'> = {
    failed: (_route, _account, failure) => {
      told.push(failure);
    },
  };
  const body = pieces.map((piece) => Buffer.from(piece));
  reportOutcome(
    { facts: {} } as unknown as TextRequest,
    {
      call: { route: { name: 'r' }, rendered: { body } } as unknown as UpstreamCall,
      failure: { kind: 'broken', reason: 'x' },
    },
    { breakers: breakers as RouteBreakers },
  );
  return told[0]?.once;
}

describe('a request that may itself be the cause of a failure', () => {
  const half = 'x'.repeat(70_000);
  const long = `${half}y${half}`;

  it('is the same once more', () => {
    expect(onceOf('a', long)).toBeDefined();
    expect(onceOf('a', long)).toBe(onceOf('a', long));
  });

  it.each([
    ['in its first piece', ['b', long]],
    ['at the begin of a long piece', ['a', long.replace('x', 'y')]],
    ['at its end', ['a', long.replace(/x$/, 'y')]],
    ['in its last piece', ['a', long, 'c']],
    ['in its length', ['a', `${half}yy${half}`]],
    ['in how it begins', ['ax', long]],
  ])('is another one that differs %s', (_where, pieces) => {
    expect(onceOf(...pieces)).not.toBe(onceOf('a', long));
  });
});
