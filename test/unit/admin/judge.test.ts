import { describe, expect, it } from '@jest/globals';
import {
  judgeClock,
  judgeDatabaseVersion,
  judgeFreeSpace,
  judgeOwner,
  judgeRedis,
  judgeRetirements,
  judgeSchema,
  judgeVendor,
} from '../../../services/admin/src/doctor/judge.ts';

const good = {
  version: '7.2.4',
  maxmemoryPolicy: 'noeviction',
  isAppendOnly: true,
  savePoints: '3600 1',
  isLastSaveGood: true,
};

describe('what the doctor says of the owner of the storage', () => {
  it.each([
    ['this installation', 'one', 'ok'],
    ['another one', 'two', 'failed'],
    ['nobody', undefined, 'warning'],
  ])('%s', (_what, owner, status) => {
    expect(judgeOwner(owner, 'one')).toMatchObject({ check: 'storage owner', status });
  });
});

describe('what the doctor says of models', () => {
  it('names those that end within two weeks or have ended, and no others', () => {
    const model = (name: string, end?: string) => ({
      name,
      retiresAt: end === undefined ? undefined : new Date(end),
    });
    const models = [
      model('endless'),
      model('far', '2027-01-16'),
      model('near', '2027-01-15'),
      model('over', '2026-12-31'),
    ];

    expect(judgeRetirements(models, Date.parse('2027-01-01'))).toMatchObject([
      { check: 'model over', status: 'warning', detail: 'was retired on 2026-12-31' },
      { check: 'model near', status: 'warning', detail: 'will be retired on 2027-01-15' },
    ]);
  });
});

describe('what the doctor says of Redis', () => {
  it.each([
    ['a good one', {}, ['ok', 'ok', 'ok']],
    ['one that is too old', { version: '6.0.16' }, ['failed', 'ok', 'ok']],
    ['the oldest that will do', { version: '6.2.0' }, ['ok', 'ok', 'ok']],
    ['one that evicts', { maxmemoryPolicy: 'allkeys-lru' }, ['ok', 'failed', 'ok']],
    ['one that does not say whether it evicts', { maxmemoryPolicy: '' }, ['ok', 'warning', 'ok']],
    ['one that writes snapshots only', { isAppendOnly: false }, ['ok', 'ok', 'ok']],
    [
      'one that writes nothing down',
      { isAppendOnly: false, savePoints: '' },
      ['ok', 'ok', 'warning'],
    ],
    [
      'one that hides its save points',
      { isAppendOnly: false, savePoints: undefined },
      ['ok', 'ok', 'ok'],
    ],
    ['one whose disk is full', { isLastSaveGood: false }, ['ok', 'ok', 'failed']],
  ])('%s', (_of, facts, statuses) => {
    expect(judgeRedis({ ...good, ...facts }).map(({ status }) => status)).toEqual(statuses);
  });
});

describe('what the doctor says of the schema', () => {
  const applied = (...names: string[]) => names.map((name) => ({ name, isFinished: true }));

  it.each([
    ['a database that was never migrated', ['1'], undefined, 'failed', /npm run migrate/],
    ['one that is up to date', ['1', '2'], applied('1', '2'), 'ok', undefined],
    ['one that lacks a migration', ['1', '2'], applied('1'), 'failed', /npm run migrate/],
    ['one that is ahead', ['1'], applied('1', '2'), 'warning', /older/],
    [
      'one whose migration broke off',
      ['1'],
      [{ name: '1', isFinished: false }],
      'failed',
      /rolled back/,
    ],
  ])('%s', (_of, onDisk, known, status, remedy) => {
    const said = judgeSchema(onDisk, known);

    expect(said.status).toBe(status);
    if (remedy === undefined) expect(said.remedy).toBeUndefined();
    else expect(said.remedy).toMatch(remedy);
  });
});

describe('what the doctor says of the rest', () => {
  it.each([
    [140_000, 'ok'],
    [150_018, 'ok'],
    [130_015, 'failed'],
  ])('PostgreSQL %d: %s', (versionNumber, status) => {
    expect(judgeDatabaseVersion({ versionNumber, versionText: 'x' }).status).toBe(status);
  });

  it.each([
    [0, 'ok'],
    [-400, 'ok'],
    [500, 'warning'],
    [-2_000, 'warning'],
    [2_001, 'failed'],
    [-60_000, 'failed'],
  ])('a clock that is %d ms off: %s', (skewMs, status) => {
    expect(judgeClock('redis', skewMs).status).toBe(status);
  });

  it('says in which direction a clock is off', () => {
    expect([judgeClock('redis', 3_000).detail, judgeClock('redis', -3_000).detail]).toEqual([
      '3000 ms ahead of this machine',
      '3000 ms behind this machine',
    ]);
  });

  it.each([
    [0.9, 'failed'],
    [1, 'warning'],
    [5, 'ok'],
  ])('%d GiB of free space: %s', (gibibytes, status) => {
    expect(judgeFreeSpace(gibibytes * 1_073_741_824).status).toBe(status);
  });

  it.each([
    [200, 'ok'],
    [404, 'ok'],
    [401, 'failed'],
    [403, 'failed'],
    [429, 'warning'],
    [500, 'warning'],
    [503, 'warning'],
  ])('a vendor that responds %d: %s', (status, said) => {
    expect(judgeVendor('ark', { kind: 'responded', status }).status).toBe(said);
  });

  it('a vendor that refuses a key with another status', () => {
    const outcome = { kind: 'responded', status: 400 } as const;

    expect(judgeVendor('omni', outcome, [400]).status).toBe('failed');
  });

  it('a vendor that was only dialled, or cannot be reached', () => {
    expect(judgeVendor('ark', { kind: 'connected' }).status).toBe('ok');
    expect(judgeVendor('ark', { kind: 'unreachable', reason: 'ECONNREFUSED' })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining('base_url of ark'),
    });
  });
});
