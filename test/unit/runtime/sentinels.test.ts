import { describe, expect, it } from '@jest/globals';
import { readSentinels, SettingsError } from '@gateway/runtime';

describe('REDIS_URL with sentinels', () => {
  it.each([
    ['redis://:pass@redis:6379', undefined],
    ['rediss://user:pass@redis:6379/2', undefined],
    [
      'redis+sentinel://one/primary',
      { sentinels: [{ host: 'one', port: 26_379 }], name: 'primary' },
    ],
    [
      'rediss+sentinel://us%40er:p%3Ass@one:1,[::1]:2,three/the-primary/3?sentinel_password=s%26p&sentinel_username=who',
      {
        sentinels: [
          { host: 'one', port: 1 },
          { host: '::1', port: 2 },
          { host: 'three', port: 26_379 },
        ],
        name: 'the-primary',
        username: 'us@er',
        password: 'p:ss',
        sentinelUsername: 'who',
        sentinelPassword: 's&p',
        db: 3,
        tls: {},
        enableTLSForSentinelMode: true,
        sentinelTLS: {},
      },
    ],
    [
      'redis+sentinel://:pass@one:1/primary',
      { sentinels: [{ host: 'one', port: 1 }], name: 'primary', password: 'pass' },
    ],
  ])('%s', (url, expected) => {
    const found = readSentinels(url);
    expect(found).toEqual(expected && { sentinelCommandTimeout: 2_000, ...expected });
  });

  it.each([
    'redis+sentinel://one:1',
    'redis+sentinel:///primary',
    'redis+sentinel://a:b:c/primary',
  ])('is refused with the form that it should have: %s', (url) => {
    expect(() => readSentinels(url)).toThrow(SettingsError);
    expect(() => readSentinels(url)).toThrow('host:port/name-of-the-primary');
  });
});
