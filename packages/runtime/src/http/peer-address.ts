import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The address that a request came from. */
export type PeerAddress = (request: IncomingMessage) => string;

/**
 * The address of whoever connected; where that is one of our own proxies, the address that it says
 * it got the request from: the last one in `x-forwarded-for` that is no proxy of ours. `trusted` has
 * CIDR ranges or single addresses, separated by commas. What a stranger writes into the header
 * counts for nothing.
 */
export function createPeerAddress(trusted: string): PeerAddress {
  const proxies = rangesOf(trusted);
  if (proxies === undefined) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  return ({ socket, headers }) => {
    let peer = plainAddress(socket.remoteAddress ?? '');
    const given = headers['x-forwarded-for'];
    const hops = given === undefined ? [] : String(given).split(',');
    while (isIn(proxies, peer)) {
      const hop = addressOf(hops.pop());
      if (hop === undefined) break;
      peer = hop;
    }
    return peer;
  };
}

/** Who shares a limit: an IPv4 address, and all of an IPv6 /64, which is what one customer has. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function rangesOf(list: string): BlockList | undefined {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) return undefined;
  const ranges = new BlockList();
  for (const entry of entries) addRange(ranges, entry);
  return ranges;
}

function addRange(ranges: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (family === 0 || !(bits <= most)) {
    throw new Error(
      `TRUSTED_PROXIES must be a list of addresses and CIDR ranges, such as 10.0.0.0/8; got ${JSON.stringify(entry)}`,
    );
  }
  ranges.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}

const isIn = (ranges: BlockList, address: string): boolean => {
  const family = isIP(address);
  return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
};

/** IPv4 that arrived on an IPv6 socket is IPv4. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** An address as proxies write it: some add a port, and brackets around IPv6. */
function addressOf(hop: string | undefined): string | undefined {
  const text = hop?.trim() ?? '';
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? undefined : address;
}
