import { AntiSSRFPolicy, IPAddressRanges, PolicyConfigOptions } from '@microsoft/antissrf';
import { describe, expect, it } from '@jest/globals';
import { checkOutboundUrl, isPublicAddress } from '@gateway/outbound';
import fc from 'fast-check';
import { carriers, ipv4Spelling, ipv6Text } from './address-spellings.ts';
import { aClient, recordingDial } from './peers.ts';

const closed = { allowHttp: true, allowCidrs: [] };
const { deniedAddresses } = new AntiSSRFPolicy(PolicyConfigOptions.ExternalOnlyLatest);
/** The oracle keeps one list, of IPv6 networks. */
const theyBlock = (address: string): boolean =>
  deniedAddresses.check(address.includes(':') ? address : `::ffff:${address}`, 'ipv6');

const verdictOn = (host: string): string => {
  const verdict = checkOutboundUrl(`http://${host}/`, closed);
  return verdict.ok ? verdict.url.hostname : verdict.reason;
};

/** What a post to the host comes to, and what was dialled for it; names resolve to `addresses`. */
async function attempt(
  host: string,
  addresses: readonly string[] = [],
): Promise<{ outcome: string; dialled: string[] }> {
  const { dial, dialled } = recordingDial();
  const outcome = await aClient({ allowCidrs: [], dial, resolve: () => addresses }).post({
    url: `http://${host}/`,
    body: '',
  });
  return { outcome: outcome.kind === 'failed' ? outcome.class : 'responded', dialled };
}
const refused = { outcome: 'blocked_address', dialled: [] };

const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const anyIpv4 = fc.integer({ min: 0, max: 0xffffffff });
const special = [
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
].map((address) => address.split('.').reduce((value, part) => value * 256 + Number(part), 0));
const hostileIpv4 = fc.oneof(
  fc.constantFrom(...special),
  anyIpv4.filter((value) => theyBlock(dotted(value))),
);
const publicIpv4 = anyIpv4.filter((value) => isPublicAddress(dotted(value), []));
const anyGroups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });

/** Addresses of a range: its ends, and `seeds` of it in between. */
function addressesIn(cidr: string, groups: readonly number[]): string {
  const [network = '', length = '0'] = cidr.split('/');
  const width = network.includes(':') ? 16 : 8;
  const fixed = network.includes(':') ? expand(network) : network.split('.').map(Number);
  return fixed
    .map((group, index) => {
      const freeBits = Math.min(Math.max((index + 1) * width - Number(length), 0), width);
      const part = (group & ~(2 ** freeBits - 1)) | ((groups[index] ?? 0) & (2 ** freeBits - 1));
      return width === 16 ? part.toString(16) : String(part);
    })
    .join(width === 16 ? ':' : '.');
}

function expand(network: string): number[] {
  const [head = '', tail = ''] = network.split('::').map((side) => side);
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after].map(
    (group) => parseInt(group, 16),
  );
}

describe('T-SSRF: an address that @microsoft/antissrf blocks', () => {
  it.each(IPAddressRanges.recommendedLatest)('is blocked here too: %s', (cidr) => {
    const ends = [Array<number>(8).fill(0), Array<number>(8).fill(0xffff)];
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...ends), anyGroups), (groups) => {
        const address = addressesIn(cidr, groups);
        expect(theyBlock(address)).toBe(true);
        expect([address, isPublicAddress(address, [])]).toEqual([address, false]);
      }),
      { numRuns: 300 },
    );
  });

  it('is blocked here too: any IPv4 address', () => {
    fc.assert(
      fc.property(
        anyIpv4.map(dotted),
        (address) => !theyBlock(address) || !isPublicAddress(address, []),
      ),
      { numRuns: 20_000 },
    );
  });

  it('is blocked here too: any IPv6 address, however written', () => {
    fc.assert(
      fc.property(
        anyGroups.chain(ipv6Text),
        (address) => !theyBlock(address) || !isPublicAddress(address, []),
      ),
      { numRuns: 20_000 },
    );
  });

  it('is neither taken in a URL nor dialled for a name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...IPAddressRanges.recommendedLatest),
        anyGroups,
        async (cidr, groups) => {
          const address = addressesIn(cidr, groups);
          expect(verdictOn(address.includes(':') ? `[${address}]` : address)).toBe(
            'blocked_address',
          );
          await expect(attempt('receiver.example', ['8.8.8.8', address])).resolves.toEqual(refused);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(['::7f00:1', '::ffff:0:7f00:1', '4000::1', 'fe80::1%eth0'])(
    'is not all there is: %s is blocked here beyond that',
    (address) => {
      expect(isPublicAddress(address, [])).toBe(false);
    },
  );
});

describe('T-SSRF: an IPv4 address that is not public', () => {
  it('is blocked in every spelling that the URL parser knows', async () => {
    await fc.assert(
      fc.asyncProperty(hostileIpv4.chain(ipv4Spelling), async (host) => {
        expect([host, verdictOn(host)]).toEqual([host, 'blocked_address']);
        await expect(attempt(host)).resolves.toEqual(refused);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(Object.entries(carriers))(
    'is blocked inside an IPv6 address: %s',
    async (_form, carry) => {
      await fc.assert(
        fc.asyncProperty(hostileIpv4.map(carry), async (host) => {
          expect([host, verdictOn(host)]).toEqual([host, 'blocked_address']);
          await expect(attempt(host)).resolves.toEqual(refused);
          await expect(attempt('receiver.example', [host.slice(1, -1)])).resolves.toEqual(refused);
        }),
        { numRuns: 200 },
      );
    },
  );
});

describe('T-SSRF: a public IPv4 address', () => {
  it('is taken in every spelling, and dialled as the address it means', async () => {
    await fc.assert(
      fc.asyncProperty(
        publicIpv4.chain((value) => fc.tuple(fc.constant(dotted(value)), ipv4Spelling(value))),
        async ([address, host]) => {
          expect([host, verdictOn(host)]).toEqual([host, address]);
          await expect(attempt(host)).resolves.toEqual({
            outcome: 'connection_refused',
            dialled: [address],
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not reached through a translator either, but by mapping', () => {
    fc.assert(
      fc.property(publicIpv4, (value) => {
        const verdicts = Object.values(carriers).map((carry) => verdictOn(carry(value)));
        // the two mapped spellings
        expect(verdicts.filter((verdict) => verdict !== 'blocked_address')).toHaveLength(2);
      }),
      { numRuns: 500 },
    );
  });
});

describe('T-SSRF: any text in the place of a host', () => {
  it('never gets a connection to an address that was not checked', async () => {
    const signs = fc.constantFrom(
      ...'0123456789abcdefx.:[]%@/\\#?-_ \t。①．'.split(''),
      'localhost',
      '127.0.0.1',
      '::1',
      '169.254.169.254',
      '.local',
      '%00',
      '%2e',
      '\u00ad',
      '\u200b',
      'ﬃ',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(signs, { maxLength: 12 }).map((parts) => parts.join('')),
        async (host) => {
          const { dialled } = await attempt(host, ['10.0.0.1']);
          expect(dialled.filter((address) => !isPublicAddress(address, []))).toEqual([]);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
