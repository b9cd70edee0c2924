import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/domain';

/** Where a cookie counts, and what it is called there. */
export interface SessionCookie {
  readonly name: string;
  readonly path: string;
}

export const customerCookie: SessionCookie = { name: 'gateway_session', path: '/v1' };
export const operatorCookie: SessionCookie = { name: 'gateway_operator', path: '/admin/v1' };

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/** What the cookie of this name carries; undefined when it cannot be a session of ours. */
export function sessionSecretOf({ headers }: Head, { name }: SessionCookie): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [, given, value] = /^ *([a-z_]{1,40})=([A-Za-z0-9_-]{43}) *$/.exec(pair) ?? [];
    if (given === name) return value;
  }
  return undefined;
}

/**
 * Throws foreign_page unless the request comes from a page of the gateway itself. Browsers add a
 * cookie to whatever a page of any origin of the same site asks for; no other page can say that it
 * is of this origin, nor send the header without our consent.
 */
export function requireOwnPage(request: Head): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!(reads ? mayRead(request) : mayChange(request))) throw foreignPage();
}

/** `none` was typed into the address bar, which shows what it finds to nobody else. */
const mayRead = ({ headers }: Head): boolean =>
  [undefined, 'none', 'same-origin'].includes(headers['sec-fetch-site']);

function mayChange({ headers }: Head): boolean {
  if (headers['x-gateway-console'] !== '1') return false;
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  // Of browsers that do not say which site it is.
  return origin === undefined || hostOf(origin) === host;
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

const foreignPage = (): GatewayError =>
  new GatewayError(
    'foreign_page',
    'a session counts for pages of this gateway alone, which send "x-gateway-console: 1" with whatever changes something; use an API key elsewhere',
  );
