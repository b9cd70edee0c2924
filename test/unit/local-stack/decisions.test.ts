import { describe, expect, it } from '@jest/globals';
import { isAllowed, unprivilegedAccount } from '../../../packages/local-stack/src/account.ts';
import { neededPackages } from '../../../packages/local-stack/src/distribution-package.ts';
import { redisConfiguration } from '../../../packages/local-stack/src/redis.ts';
import { crashesInARow, restartDelayMs } from '../../../packages/local-stack/src/restart-policy.ts';

describe('the pause before a crashed service is started again', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1_000],
    [5, 4_000],
    [6, 5_000],
    [60, 5_000],
  ])('after %i crashes in a row is %i ms', (crashes, delayMs) => {
    expect(restartDelayMs(crashes)).toBe(delayMs);
  });

  it.each([
    [0, 0, 1],
    [4, 29_999, 5],
    [4, 30_000, 1],
  ])('counts %i crashes before, then %i ms up, as %i in a row', (before, upMs, crashes) => {
    expect(crashesInARow(before, upMs)).toBe(crashes);
  });
});

describe('the user that PostgreSQL runs as when we are root', () => {
  const passwd = (...names: string[]): string =>
    [
      'root:x:0:0:root:/root:/bin/bash',
      ...names.map((name, index) => `${name}:x:${100 + index}:${200 + index}::/:/bin/sh`),
    ].join('\n');

  it.each([
    [['daemon', 'nobody', 'postgres'], { name: 'postgres', uid: 102, gid: 202 }],
    [['daemon', 'nobody'], { name: 'nobody', uid: 101, gid: 201 }],
    [['somebody'], { name: 'somebody', uid: 100, gid: 200 }],
    [[], undefined],
  ])('is, of %j, %j', (names, account) => {
    expect(unprivilegedAccount(passwd(...names))).toEqual(account);
  });
});

describe('whether a user may use a file or folder', () => {
  const account = { name: 'postgres', uid: 101, gid: 104 };
  it.each([
    ['enter', { mode: 0o40755, uid: 0, gid: 0 }, true],
    ['enter', { mode: 0o40700, uid: 0, gid: 0 }, false],
    ['enter', { mode: 0o40711, uid: 0, gid: 0 }, true],
    ['enter', { mode: 0o40710, uid: 0, gid: 104 }, true],
    ['enter', { mode: 0o40700, uid: 101, gid: 0 }, true],
    ['enter', { mode: 0o40077, uid: 101, gid: 0 }, false],
    ['read', { mode: 0o100711, uid: 0, gid: 0 }, false],
    ['read', { mode: 0o100644, uid: 0, gid: 0 }, true],
  ] as const)('%s with %j: %j', (wanted, permissions, isSo) => {
    expect(isAllowed(wanted, permissions, account)).toBe(isSo);
  });
});

describe("what has to be fetched to run a distribution's Redis", () => {
  it('is its programs and libraries, without what only a service needs, alternatives and suggestions', () => {
    const output = `redis-tools
  PreDepends: init-system-helpers
  Depends: adduser
  Depends: libjemalloc2
 |Depends: libsystemd0
  Depends: libelogind0
  Depends: <libvirtual>
  Depends: redis-tools
  Depends: lua-cjson
  Breaks: redis-server
  Suggests: ruby-redis
`;
    expect(neededPackages(output)).toEqual([
      'libjemalloc2',
      'libelogind0',
      'redis-tools',
      'lua-cjson',
    ]);
  });
});

describe('the configuration of the local Redis', () => {
  const setting = { folder: '/data/my files', port: 7_000, password: 'secret' };

  it('keeps an append-only file, evicts nothing, and responds on loopback to those who know the password', () => {
    expect(redisConfiguration({ ...setting, durable: true }).split('\n')).toEqual(
      expect.arrayContaining([
        'bind 127.0.0.1',
        'port 7000',
        'requirepass secret',
        'dir "/data/my files"',
        'maxmemory-policy noeviction',
        'appendonly yes',
        'appendfsync everysec',
      ]),
    );
  });

  it('keeps nothing for tests', () => {
    expect(redisConfiguration({ ...setting, durable: false }).split('\n')).toEqual(
      expect.arrayContaining(['appendonly no', 'save ""']),
    );
  });
});
