import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { explainFailure } from '../../../services/admin/src/explain-failure.ts';

const failure = (message: string, code: string): Error =>
  Object.assign(new Error(message), { code });

describe('a failed admin command', () => {
  it.each([
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND db'],
    ['28P01', 'password authentication failed'],
    ['3D000', 'database "x" does not exist'],
  ])('says what to look at when no connection came about (%s)', (code, message) => {
    expect(explainFailure(failure(message, code))).toBe(
      `${message}; check DATABASE_URL, or run the doctor: npm run admin -- doctor`,
    );
  });

  it.each([
    ['another failure', failure('deadlock detected', '40P01'), 'deadlock detected'],
    [
      'a refusal',
      new GatewayError('account_not_found', 'there is no account x'),
      'there is no account x',
    ],
    ['no error at all', undefined, 'undefined'],
  ])('tells %s in its own words alone', (_case, error, sentence) => {
    expect(explainFailure(error)).toBe(sentence);
  });
});
