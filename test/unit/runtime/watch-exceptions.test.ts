import { beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { runWith } from '@gateway/runtime';
import { recordingLog } from '@gateway/testing';
import { watchExceptions } from '../../../packages/runtime/src/faults/watch-exceptions.ts';

let nowMs: number;
let reasons: string[];
let failed: unknown[];
let caught: (error: unknown, account?: string) => void;
beforeEach(() => {
  nowMs = 0;
  reasons = [];
  failed = [];
  const watch = watchExceptions({
    log: recordingLog(),
    accountsBeforeRestart: 2,
    endProcess: (reason) => reasons.push(reason),
    nowMs: () => nowMs,
  });
  caught = (error, account) => {
    const scope = {
      where: 'request',
      account: () => account,
      fail: (thrown: unknown) => {
        failed.push(thrown);
      },
    } as const;
    runWith({ requestId: 'req_1', scope }, () => {
      watch.caught(error);
    });
  };
});

const from = (file: string): Error => {
  const error = new Error('broken');
  error.stack = `Error: broken\n    at next (node:internal/x:1:1)\n    at f (${file}:1:1)\n    at g (/app/services/api/dist/x.js:1:1)`;
  return error;
};

describe('an exception that nobody caught', () => {
  it('ends its request and not the process', () => {
    const error = from('/app/services/api/dist/http/upload.js');
    caught(error, 'acct_one');
    caught(error, 'acct_one');

    expect([failed, reasons]).toEqual([[error, error], []]);
  });

  it.each([
    'pg/lib/client.js',
    'pg-pool/index.js',
    'ioredis/built/Redis.js',
    '@prisma/client/x.js',
  ])('ends the process when it comes from the inside of %s, and the request as well', (file) => {
    caught(from(`/app/node_modules/${file}`), 'acct_one');

    expect([failed.length, reasons]).toEqual([1, ['an exception inside a client of the stores']]);
  });

  it('ends the process when several accounts meet one within a minute', () => {
    caught(from('/app/a.js'), 'acct_one');
    nowMs = 60_001;
    caught(from('/app/a.js'), 'acct_two');
    expect(reasons).toEqual([]);

    nowMs += 60_000;
    caught(from('/app/a.js'), 'acct_one');
    expect(reasons).toEqual(['exceptions in the requests or jobs of several accounts']);
  });

  it('takes all who have no account for one', () => {
    for (let time = 0; time < 5; time += 1) caught(from('/app/a.js'));

    expect(reasons).toEqual([]);
  });

  it.each([
    [
      'a store that is away',
      Object.assign(from('/app/node_modules/pg/x.js'), { code: 'ECONNREFUSED' }),
    ],
    ['a refusal', new GatewayError('invalid_json', 'not JSON')],
  ])('ends no process when it is %s', (_what, error) => {
    caught(error, 'acct_one');
    caught(error, 'acct_two');

    expect([failed.length, reasons]).toEqual([2, []]);
  });

  it('ends the process when not even the request can be ended', () => {
    const watch = watchExceptions({
      log: recordingLog(),
      accountsBeforeRestart: 2,
      endProcess: (reason) => reasons.push(reason),
    });
    const scope = {
      where: 'request',
      account: () => undefined,
      fail: () => {
        throw new Error('cannot');
      },
    } as const;
    runWith({ requestId: 'req_1', scope }, () => {
      watch.caught(from('/app/a.js'));
    });

    expect(reasons).toEqual(['an exception while one was being handled']);
  });
});
