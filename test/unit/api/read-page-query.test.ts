import { describe, expect, it } from '@jest/globals';
import { readAdminTaskFilter } from '@gateway/contracts';
import { entryField } from '../../../services/api/src/use-cases/entry-id.ts';
import { idField, readField } from '../../../services/api/src/use-cases/query-field.ts';
import {
  listedIds,
  readGraceSeconds,
} from '../../../services/api/src/use-cases/read-admin-query.ts';
import {
  limitField,
  readPageQuery,
  type QueryTexts,
} from '../../../services/api/src/use-cases/read-page-query.ts';
import { readVideosQuery } from '../../../services/api/src/use-cases/read-videos-query.ts';

const asset = 'asset_01h455vb4pex5vsknk084sn02q';
const task = 'video_01h455vb4pex5vsknk084sn02q';
const assetIds = idField('asset', 'the id of an asset');
const refusal = (param: string, message: string): unknown =>
  expect.objectContaining({ code: 'invalid_parameter', param, message });

const entry = `entry_${'0f'.repeat(16)}`;

describe('limit and cursors of a page', () => {
  it('are twenty and none unless asked otherwise', () => {
    expect(readPageQuery({}, assetIds)).toEqual({ limit: 20, after: undefined, before: undefined });
  });

  it('may both be given', () => {
    expect(readPageQuery({ limit: '100', after: asset, before: asset }, assetIds)).toEqual({
      limit: 100,
      after: asset,
      before: asset,
    });
    expect(readPageQuery({ limit: '1', before: entry }, entryField)).toEqual({
      limit: 1,
      after: undefined,
      before: entry,
    });
  });

  it.each(['0', '101', '1000', '01', '1.5', '+1', '-1', ' 1', 'x'])(
    'are refused with the limit %j',
    (limit) => {
      const message = `limit must be an integer between 1 and 100; got ${JSON.stringify(limit)}`;

      expect(() => readPageQuery({ limit }, assetIds)).toThrow(refusal('limit', message));
      expect(() => readVideosQuery({ limit })).toThrow(refusal('limit', message));
    },
  );

  it.each<[string, () => unknown, string, string]>([
    [
      'an asset',
      () => readPageQuery({ after: task }, assetIds),
      'after',
      `after must be the id of an asset; got "${task}"`,
    ],
    [
      'an entry',
      () => readPageQuery({ before: 'entry_0' }, entryField),
      'before',
      'before must be the id of an entry; got "entry_0"',
    ],
    [
      'a task',
      () => readVideosQuery({ before: asset }),
      'before',
      `before must be the id of a video task; got "${asset}"`,
    ],
    [
      'an operator’s list',
      () => readPageQuery({ after: asset }, listedIds('account')),
      'after',
      `after must be an id of this list; got "${asset}"`,
    ],
    [
      'an operator’s tasks',
      () => readPageQuery({ after: asset }, listedIds('task')),
      'after',
      `after must be an id of this list; got "${asset}"`,
    ],
    [
      'anything, shortened',
      () => readPageQuery({ after: 'x'.repeat(100) }, assetIds),
      'after',
      `after must be the id of an asset; got "${'x'.repeat(80)}"`,
    ],
  ])('are refused with a cursor that is not the id of %s', (_what, read, param, message) => {
    expect(read).toThrow(refusal(param, message));
  });

  it('name the limit first when everything is wrong', () => {
    expect(() => readPageQuery({ limit: '0', after: 'x', before: 'x' }, assetIds)).toThrow(
      refusal('limit', 'limit must be an integer between 1 and 100; got "0"'),
    );
  });
});

describe('other query parameters', () => {
  it.each<[QueryTexts, string, string]>([
    [
      { status: 'done' },
      'status',
      'status must be one of queued, running, succeeded, failed, expired, cancelled; got "done"',
    ],
    [
      { account: '1' },
      'account',
      'account must be the id of an account, such as acct_01h455vb4pex5vsknk084sn02q; got "1"',
    ],
  ])('of the operator’s tasks are refused: %j', (query, param, message) => {
    expect(() => readAdminTaskFilter(query, new Date())).toThrow(refusal(param, message));
  });

  it('say how long the grace is and how many models a page has', () => {
    expect([readGraceSeconds({}), readGraceSeconds({ grace: '0' })]).toEqual([60, 0]);
    expect(() => readGraceSeconds({ grace: '86401' })).toThrow(
      refusal('grace', 'grace must be a whole number of seconds up to 86400; got "86401"'),
    );
    expect(readField('limit', '1000', limitField(1_000))).toBe(1_000);
    expect(() => readField('limit', '1001', limitField(1_000))).toThrow(
      refusal('limit', 'limit must be an integer between 1 and 1000; got "1001"'),
    );
  });
});
