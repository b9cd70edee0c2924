import { lookup, Resolver } from 'node:dns/promises';
import { isInternalName } from './url-rule.ts';

/** All addresses of a name. A cache may respond at once; whoever asks bounds the time. */
export type Resolve = (name: string) => Promise<readonly string[]> | readonly string[];

export interface ResolverOptions {
  /** For one name, both families and one repetition together. */
  readonly timeoutMs: number;
  /** `address:port` of the name servers to ask in place of the system's. */
  readonly servers?: readonly string[];
}

/**
 * When one family has responded, the other one gets this long: a broken AAAA zone must not cost the
 * A records.
 */
const otherFamilyGraceMs = 300;

/**
 * The resolver of the services. A stranger's name goes to DNS directly: `dns.lookup` runs on the
 * four threads that file reads share, and a hostile name server could hold them all. A name of the
 * operator's own network goes through the system, so that hosts files and search domains count.
 */
export function createResolver({ timeoutMs, servers }: ResolverOptions): Resolve {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    if (isInternalName(name)) {
      return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
    }
    return bothFamilies(resolver.resolve4(name), resolver.resolve6(name));
  };
}

async function bothFamilies(ipv4: Promise<string[]>, ipv6: Promise<string[]>): Promise<string[]> {
  const found: string[][] = [];
  const settle = (family: Promise<string[]>) =>
    family.then((addresses) => {
      found.push(addresses);
    });
  const all = Promise.allSettled([settle(ipv4), settle(ipv6)]);
  await Promise.any([ipv4, ipv6]).catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, otherFamilyGraceMs);
  });
  await Promise.race([all, grace]).finally(() => {
    clearTimeout(timer);
  });
  if (found.length === 0) return ipv4; // its error says why
  return found.flat();
}
