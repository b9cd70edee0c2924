import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, openedRanges, parseCidrs } from '@gateway/outbound';
import { hostileAddresses, publicHosts } from './hostile-hosts.ts';

describe('the addresses that the gateway connects to', () => {
  it.each(hostileAddresses)('refuse %p', (address) => {
    expect(isPublicAddress(address, [])).toBe(false);
  });

  it.each([...publicHosts.map((host) => host.replace(/[[\]]/g, '')), '::ffff:8.8.8.8'])(
    'allow %s',
    (address) => {
      expect(isPublicAddress(address, [])).toBe(true);
    },
  );

  it.each([
    ['127.0.0.1/32', '127.0.0.1', true],
    ['127.0.0.1/32', '::ffff:127.0.0.1', true],
    ['127.0.0.1/32', '127.0.0.2', false],
    ['::1/128', '::1', true],
    ['::1/128', '127.0.0.1', false],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fc00::1', false],
    ['10.0.0.0/8', '8.8.8.8', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8', 'fe80::1%eth0', false],
  ])('with %s opened: %s is allowed: %s', (cidrs, address, expected) => {
    expect(isPublicAddress(address, parseCidrs(cidrs))).toBe(expected);
  });

  it('are judged by an ipaddr.js that knows the newer special ranges', async () => {
    const resolved = createRequire(
      new URL('../../../packages/outbound/src/address-rule.ts', import.meta.url),
    ).resolve('ipaddr.js');
    const { version } = JSON.parse(
      await readFile(new URL('../package.json', `file://${resolved}`), 'utf8'),
    ) as { version: string };
    const [major = 0, minor = 0] = version.split('.').map(Number);

    expect(major === 2 && minor >= 5).toBe(true);
  });
});

describe('the list of opened ranges', () => {
  it('is empty for an empty text', () => {
    expect(parseCidrs('')).toEqual([]);
    expect(parseCidrs(' , ')).toEqual([]);
  });

  it('takes spaces around entries', () => {
    expect(parseCidrs(' 127.0.0.1/32 , ::1/128 ')).toHaveLength(2);
  });

  it.each([
    ['0.0.0.0/0', /"0\.0\.0\.0\/0" opens too much/],
    ['::/0', /"::\/0" opens too much/],
    ['0.0.0.0/1', /"0\.0\.0\.0\/1" opens too much/],
    ['128.0.0.0/1', /opens too much/],
    ['2000::/3', /opens too much/],
    ['10.0.0.1', /"10\.0\.0\.1" has no prefix length; write 10\.0\.0\.1\/32/],
    ['10.0.0.0/33', /prefix length from 8 to 32/],
    ['10.0.0.0/', /prefix length/],
    ['10.0.0.0/8/8', /prefix length/],
    ['10.0.0.0/-1', /prefix length/],
    ['10.0/8', /"10\.0\/8" is not a range/],
    ['0x7f.0.0.1/8', /is not a range/],
    ['fe80::%eth0/64', /is not a range/],
    ['::ffff:127.0.0.0/104', /IPv4 form/],
    ['localhost', /"localhost" is not a range/],
    ['true', /"true" is not a range/],
  ])('refuses %s and names it', (text, message) => {
    expect(() => parseCidrs(text)).toThrow(message);
  });

  it('names every bad entry at once and no good one', () => {
    expect(() => parseCidrs('10.0.0.0/8,here,::/0')).toThrow(
      /^bad address range: "here" .*; "::\/0" /,
    );
  });

  it.each([
    '127.0.0.1/32',
    '::1/128',
    '::/8',
    '127.0.0.0/8',
    '127.9.9.9/32',
    '0.0.0.0/8',
    '0.0.0.0/32',
    '::/128',
  ])('refuses %s where loopback must stay closed', (text) => {
    expect(parseCidrs(text)).toHaveLength(1);
    expect(() => parseCidrs(text, { loopback: 'refuse' })).toThrow(`"${text}" opens loopback`);
  });

  it('takes other private ranges where loopback must stay closed', () => {
    expect(parseCidrs('10.0.0.0/8,fd00::/8', { loopback: 'refuse' })).toHaveLength(2);
  });
});

describe('the ranges that a setting opens', () => {
  const opened = (text: string, nodeEnv?: string) =>
    openedRanges(text, { setting: 'CALLBACK_ALLOW_CIDRS', nodeEnv });

  it.each(['127.0.0.1/32', '::1/128', '10.0.0.0/8, 127.0.0.0/8', '0.0.0.0/8'])(
    'may not include loopback in production: %s',
    (text) => {
      expect(() => opened(text, 'production')).toThrow(
        /^CALLBACK_ALLOW_CIDRS: bad address range: ".*" opens loopback/,
      );
    },
  );

  it.each([undefined, 'development', 'test'])(
    'may include loopback when NODE_ENV is %s',
    (nodeEnv) => {
      expect(opened('127.0.0.1/32,::1/128', nodeEnv)).toHaveLength(2);
    },
  );

  it('may include a private network in production', () => {
    expect(opened('10.0.0.0/8', 'production')).toHaveLength(1);
  });

  it.each(['0.0.0.0/0', '::/0', 'true', '*'])('may never be everything: %s', (text) => {
    expect(() => opened(text)).toThrow('CALLBACK_ALLOW_CIDRS: bad address range');
  });
});
