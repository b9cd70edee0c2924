import { isIP } from 'node:net';
import type { Configuration } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { checkOutboundUrl, isPublicAddress, type Resolve, type UrlRule } from '@gateway/outbound';
import type { MediaAddress } from '@gateway/text-dialects';

/** Addresses that a self-hosted upstream may be asked to fetch from. */
export interface MediaRule {
  /** Rejects with invalid_parameter for the first address that is not public. */
  check(media: readonly MediaAddress[]): Promise<void>;
}

export interface MediaRuleOptions {
  readonly allowCidrs: UrlRule['allowCidrs'];
  readonly resolve: Resolve;
  /** For all names of one request together. */
  readonly timeoutMs: number;
}

/** Different hosts in one request. */
const mostHosts = 16;

export function createMediaRule({ allowCidrs, resolve, timeoutMs }: MediaRuleOptions): MediaRule {
  const checkHost = async ({ param }: MediaAddress, host: string): Promise<void> => {
    const addresses = await addressesOf(resolve, host);
    if (addresses.length === 0) {
      throw refusal(param, `names a host that cannot be resolved: ${host}`);
    }
    if (!addresses.every((address) => isPublicAddress(address, allowCidrs))) {
      throw refusal(param, `must lead to a public address; ${host} leads into a private network`);
    }
  };
  return {
    async check(media) {
      const hosts = hostsOf(media, { allowHttp: true, allowCidrs, maxLength: 8_192 });
      if (hosts.size === 0) return;
      const checks = Promise.all([...hosts].map(([host, first]) => checkHost(first, host)));
      await within(checks, timeoutMs, () => {
        const [param] = [...hosts.values()].map((first) => first.param);
        return refusal(param ?? '', `names a host that was not resolved within ${timeoutMs} ms`);
      });
    },
  };
}

/** None when the name cannot be resolved, for whatever reason. */
async function addressesOf(resolve: Resolve, host: string): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}

/** The names to resolve, each with the address that has it first. */
function hostsOf(media: readonly MediaAddress[], rule: UrlRule): Map<string, MediaAddress> {
  const hosts = new Map<string, MediaAddress>();
  for (const each of media) {
    // What follows a # stays with whoever fetches.
    const verdict = checkOutboundUrl(each.address.split('#', 1)[0] ?? '', rule);
    if (!verdict.ok) throw refusal(each.param, verdict.message);
    const host = verdict.url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) === 0 && !hosts.has(host)) hosts.set(host, each);
    if (hosts.size > mostHosts) {
      throw refusal(each.param, `is on one host too many; a request may name ${mostHosts}`);
    }
  }
  return hosts;
}

const refusal = (param: string, message: string): GatewayError =>
  new GatewayError('invalid_parameter', `${param} ${message}`, { param });

async function within(
  work: Promise<unknown>,
  timeoutMs: number,
  lateness: () => GatewayError,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(lateness());
    }, timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const known = new WeakMap<Configuration, boolean>();

/** Whether requests must be searched for addresses at all. */
export function someFetchPrivately(configuration: Configuration): boolean {
  const found =
    known.get(configuration) ??
    [...configuration.textProviders.values()].some(
      ({ fetchesMedia }) => fetchesMedia === 'private',
    );
  known.set(configuration, found);
  return found;
}
