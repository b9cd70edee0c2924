import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createPeerAddress, networkOf } from '@gateway/runtime';

const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address a request came from', () => {
  it.each<[trusted: string, remote: string | undefined, forwarded: string | undefined, string]>([
    ['', '192.0.2.1', undefined, '192.0.2.1'],
    ['', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['', undefined, undefined, ''],
    // without proxies of ours the header is what a stranger wrote
    ['', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['10.0.0.0/8', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    // the client wrote the first, our proxy the last
    ['10.0.0.0/8', '10.1.2.3', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8,192.0.2.1', '192.0.2.1', '198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.0/8', '10.1.2.3', undefined, '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '10.0.0.1', '10.0.0.1'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.7:4711', '198.51.100.7'],
    ['10.0.0.0/8', '10.1.2.3', '[2001:db8::1]:4711', '2001:db8::1'],
    ['fd00::/8', 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.0/8', '', '198.51.100.7', ''],
  ])('behind "%s", from %s with %s, is "%s"', (trusted, remote, forwarded, peer) => {
    expect(createPeerAddress(trusted)(from(remote, forwarded))).toBe(peer);
  });

  it.each(['10.0.0.0/33', 'proxy.example', '10.0.0.0/x', 'fd00::/129'])(
    'is not taken from "%s"',
    (trusted) => {
      expect(() => createPeerAddress(trusted)).toThrow('TRUSTED_PROXIES must be');
    },
  );
});

describe('who shares a limit', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is counted as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
