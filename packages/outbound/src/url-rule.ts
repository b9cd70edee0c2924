import { isIP } from 'node:net';
import {
  isAllowedByOperator,
  isPublicAddress,
  opensLoopback,
  opensPrivateNetwork,
  type AddressRange,
} from './address-rule.ts';

export type UrlRefusal =
  | 'too_long'
  | 'not_a_url'
  | 'scheme'
  | 'credentials'
  | 'fragment'
  | 'blocked_address'
  | 'blocked_name'
  | 'port';

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  /**
   * `message` continues a sentence that starts with the field's name: "must be an https address;
   * …".
   */
  | { readonly ok: false; readonly reason: UrlRefusal; readonly message: string };

export interface UrlRule {
  readonly allowHttp: boolean;
  readonly allowCidrs: readonly AddressRange[];
  /** Characters; 2048 when left out. */
  readonly maxLength?: number;
}

const defaultMaxUrlLength = 2048;

interface Host {
  /** Without brackets and without the root dot. */
  readonly name: string;
  readonly isLiteral: boolean;
}

type Check = (
  url: URL,
  rule: UrlRule,
  host: Host,
) => { readonly reason: UrlRefusal; readonly message: string } | undefined;

/** In this order: the first one that objects speaks. */
const checks: readonly Check[] = [
  checkScheme,
  checkCredentials,
  checkFragment,
  checkLiteral,
  checkName,
  checkPort,
];

/**
 * Whether a stranger's URL may be used at all, decided without asking DNS: that is checked again at
 * every connection. Only what the WHATWG parser made of the text is looked at, so that `0x7f.1` is
 * already `127.0.0.1` here.
 */
export function checkOutboundUrl(text: string, rule: UrlRule): UrlVerdict {
  const maxLength = rule.maxLength ?? defaultMaxUrlLength;
  if (text.length > maxLength) {
    return refuse('too_long', `must be at most ${maxLength} characters long; got ${text.length}`);
  }
  if (!URL.canParse(text)) {
    return refuse('not_a_url', `must be an absolute URL such as ${exampleOf(rule)}`);
  }
  const url = new URL(text);
  const host = hostOf(url);
  for (const check of checks) {
    const objection = check(url, rule, host);
    if (objection !== undefined) return refuse(objection.reason, objection.message);
  }
  return { ok: true, url };
}

/**
 * Whether whoever is at `vendorUrl` can be expected to reach `url`: a public address from
 * everywhere, any other only from inside some network, which a vendor at a public address is not
 * in.
 */
export const canBeFetchedBy = (vendorUrl: string, url: string): boolean =>
  isPublicUrl(url) || !isPublicUrl(vendorUrl);

const isPublicUrl = (url: string): boolean =>
  checkOutboundUrl(url, { allowHttp: true, allowCidrs: [] }).ok;

/**
 * Ends of names that public DNS does not serve: RFC 6762, 7686, 8375, ICANN's `.internal`, and what
 * hosts files hold.
 */
const internalEnd = /(^|\.)(local|internal|localdomain|home\.arpa|onion|invalid)$/;

/**
 * Whether the name is only known inside some network: single-label, `.local`, `.internal` and the
 * like, and the loopback names.
 */
export function isInternalName(name: string): boolean {
  return isLoopbackName(name) || !name.includes('.') || internalEnd.test(name);
}

function checkScheme(url: URL, rule: UrlRule): ReturnType<Check> {
  const allowed = rule.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (allowed.includes(url.protocol)) return undefined;
  return {
    reason: 'scheme',
    message: `must be an ${rule.allowHttp ? 'https or http' : 'https'} address; got "${url.protocol}"`,
  };
}

function checkCredentials(url: URL): ReturnType<Check> {
  if (url.username === '' && url.password === '') return undefined;
  return { reason: 'credentials', message: 'must not contain a user name or password' };
}

function checkFragment(url: URL): ReturnType<Check> {
  return url.href.includes('#')
    ? { reason: 'fragment', message: 'must not contain a fragment (the part from "#" on)' }
    : undefined;
}

function checkLiteral(_url: URL, rule: UrlRule, { name, isLiteral }: Host): ReturnType<Check> {
  if (!isLiteral || isPublicAddress(name, rule.allowCidrs)) return undefined;
  return {
    reason: 'blocked_address',
    message: `must point to a public address; ${name} is private, loopback, link-local or reserved`,
  };
}

/**
 * A name of the operator's own network is left to the check at connection once they opened that
 * network.
 */
function checkName(_url: URL, rule: UrlRule, { name, isLiteral }: Host): ReturnType<Check> {
  if (isLiteral) return undefined;
  if (!isHostName(name)) {
    return {
      reason: 'blocked_name',
      message: `must name a public host; "${name}" is not a host name (letters, digits and hyphens between dots)`,
    };
  }
  if (!isInternalName(name)) return undefined;
  const isOpened = isLoopbackName(name)
    ? opensLoopback(rule.allowCidrs)
    : opensPrivateNetwork(rule.allowCidrs);
  return isOpened
    ? undefined
    : {
        reason: 'blocked_name',
        message: `must name a public host; "${name}" is only known inside a network`,
      };
}

/**
 * Below 1024 live mail, shells and databases; a host that the operator opened by its address may
 * use any port.
 */
function checkPort(url: URL, rule: UrlRule, host: Host): ReturnType<Check> {
  const port = portOf(url);
  const isUsual = port === 80 || port === 443 || port >= 1024;
  if (isUsual || (port !== 0 && isOpenedHost(host, rule))) return undefined;
  return { reason: 'port', message: `must use port 80, 443 or any from 1024 up; got ${port}` };
}

const isOpenedHost = ({ name, isLiteral }: Host, { allowCidrs }: UrlRule): boolean =>
  isLiteral
    ? isAllowedByOperator(name, allowCidrs)
    : isLoopbackName(name) && opensLoopback(allowCidrs);

/** The port that a connection to this URL uses. */
const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

function hostOf(url: URL): Host {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { name, isLiteral: isIP(name) !== 0 };
}

/**
 * The URL parser also takes empty labels, and signs that resolvers read in ways of their own:
 * `127.0.0.1..` is a name to it.
 */
const isHostName = (name: string): boolean =>
  name.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost');
const exampleOf = (rule: UrlRule): string =>
  rule.allowHttp ? 'http://receiver.example/path' : 'https://receiver.example/path';
const refuse = (reason: UrlRefusal, message: string): UrlVerdict => ({
  ok: false,
  reason,
  message,
});
