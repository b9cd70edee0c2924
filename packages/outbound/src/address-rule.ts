import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range that the operator opened, for instance `10.0.0.0/8`. Made by `parseCidrs`. */
export interface AddressRange {
  readonly network: Address;
  readonly prefixLength: number;
}

/**
 * Public by every list of special ranges, yet it responds inside Azure with the host's secrets
 * (WireServer).
 */
const neverPublic = ['168.63.129.16'];

/**
 * No operator means to open more than a private block: 10.0.0.0/8 and fc00::/7 are the largest
 * there are.
 */
const shortestPrefix = { ipv4: 8, ipv6: 7 } as const;

/** The unspecified addresses are dialled as loopback. */
const loopback = [
  ipaddr.parse('127.0.0.1'),
  ipaddr.parse('0.0.0.0'),
  ipaddr.parse('::1'),
  ipaddr.parse('::'),
] as const;

/**
 * Whether the gateway may connect to this IP address: it is globally reachable unicast, or the
 * operator opened its range. Takes the address as a resolver or a socket spells it (zone ids and
 * IPv4-mapped forms included); anything else is refused.
 */
export function isPublicAddress(address: string, allowCidrs: readonly AddressRange[]): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  return contains(allowCidrs, parsed) || isGloballyReachable(parsed);
}

/** Whether the operator opened the range of this literal address. */
export function isAllowedByOperator(address: string, allowCidrs: readonly AddressRange[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && contains(allowCidrs, parsed);
}

/** Whether the operator opened 127.0.0.1 or ::1 (or 0.0.0.0 or ::, which lead there). */
export function opensLoopback(allowCidrs: readonly AddressRange[]): boolean {
  return allowCidrs.some((range) => containsLoopback(range));
}

/** Whether the operator opened any range beside loopback, that is, a network of their own. */
export function opensPrivateNetwork(allowCidrs: readonly AddressRange[]): boolean {
  return allowCidrs.some((range) => range.network.range() !== 'loopback');
}

/**
 * Reads a comma-separated list such as `127.0.0.1/32,::1/128`; an empty text opens nothing. Throws
 * one Error that names every bad entry. With `loopback: 'refuse'` an entry that reaches loopback is
 * bad as well.
 */
export function parseCidrs(
  text: string,
  options: { readonly loopback?: 'allow' | 'refuse' } = {},
): readonly AddressRange[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const read = entries.map((entry) => ({ entry, range: parseRange(entry) }));
  const problems = read.flatMap(({ entry, range }) => {
    if (typeof range === 'string') return [`"${entry}" ${range}`];
    return options.loopback === 'refuse' && containsLoopback(range)
      ? [`"${entry}" opens loopback, which is refused here`]
      : [];
  });
  if (problems.length > 0) throw new Error(`bad address range: ${problems.join('; ')}`);
  return read.flatMap(({ range }) => (typeof range === 'string' ? [] : [range]));
}

export interface OpenedBy {
  /** Name of the setting, for the message. */
  readonly setting: string;
  /**
   * NODE_ENV. In `production` nothing may open loopback: a stranger would reach whatever listens
   * beside the service.
   */
  readonly nodeEnv: string | undefined;
}

/**
 * The ranges that a setting opens. Throws an Error that names the setting and every entry that it
 * may not hold.
 */
export function openedRanges(
  text: string,
  { setting, nodeEnv }: OpenedBy,
): readonly AddressRange[] {
  try {
    return parseCidrs(text, { loopback: nodeEnv === 'production' ? 'refuse' : 'allow' });
  } catch (thrown) {
    throw new Error(`${setting}: ${(thrown as Error).message}`, { cause: thrown });
  }
}

/** The range, or what is wrong with the entry. */
function parseRange(entry: string): AddressRange | string {
  const [address = '', ...prefix] = entry.split('/');
  if (isIP(address) === 0 || address.includes('%')) {
    return 'is not a range; write it like 10.0.0.0/8 or fd00::/8';
  }
  const network = ipaddr.parse(address);
  if (isMapped(network)) return 'is an IPv4-mapped range; write it in IPv4 form';
  const bits = network.kind() === 'ipv4' ? 32 : 128;
  if (prefix.length === 0) {
    return `has no prefix length; write ${address}/${bits} for this one address`;
  }
  const shortest = shortestPrefix[network.kind()];
  const prefixLength = parsePrefixLength(prefix.join('/'), bits);
  if (prefixLength === undefined) return `needs a prefix length from ${shortest} to ${bits}`;
  return prefixLength < shortest
    ? `opens too much; the shortest prefix length is /${shortest}`
    : { network, prefixLength };
}

function parsePrefixLength(text: string, bits: number): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= bits ? Number(text) : undefined;
}

function parseAddress(address: string): Address | undefined {
  // isIP first: ipaddr.js alone also takes forms such as 0x7f.1 that no resolver resolves; a zone id
  // it keeps apart by itself
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function contains(ranges: readonly AddressRange[], address: Address): boolean {
  return ranges.some(
    ({ network, prefixLength }) =>
      network.kind() === address.kind() && address.match(network, prefixLength),
  );
}

const containsLoopback = (range: AddressRange): boolean =>
  range.network.range() === 'loopback' || loopback.some((address) => contains([range], address));

/**
 * Unicast by ipaddr.js (2.5 or newer: older versions miss ranges), and for IPv6 also inside
 * 2000::/3, the only block that is assigned: ipaddr.js calls ::7f00:1 and 4000::1 unicast too.
 */
function isGloballyReachable(address: Address): boolean {
  if (address.range() !== 'unicast' || neverPublic.includes(address.toString())) return false;
  return (
    address.kind() === 'ipv4' || ((address.toByteArray()[0] ?? 0) & 0b1110_0000) === 0b0010_0000
  );
}

const isMapped = (address: Address): boolean =>
  address.kind() === 'ipv6' && address.range() === 'ipv4Mapped';
