import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { got, type Response } from 'got';
import { createGuardedAgents } from './guarded-agent.ts';
import type { ConnectLimits, Guard } from './guarded-connect.ts';
import { OutboundError } from './outbound-error.ts';
import { checkOutboundUrl } from './url-rule.ts';

/** What the operator decided once for every exchange of a client. */
export interface OutboundRule {
  readonly guard: Guard;
  readonly allowHttp: boolean;
  readonly userAgent: string;
}

/** A stored URL passed its length rule when it was taken; this only bounds what reaches the parser. */
const maxUsableUrlLength = 16_384;

/** The create-time rules again: the operator may have closed a range since the URL was taken, and a redirect never passed them. */
export function usableUrl(text: string, { allowHttp, guard }: OutboundRule): URL {
  const verdict = checkOutboundUrl(text, { allowHttp, allowCidrs: guard.allowCidrs, maxLength: maxUsableUrlLength });
  if (!verdict.ok) throw new OutboundError('blocked_address', { detail: `the address ${verdict.message}` });
  return verdict.url;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly guard: Guard;
  readonly limits: ConnectLimits & { readonly responseMs: number };
}

/** An answer whose headers are here and whose body is still to come. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Exactly the bytes of the wire: nothing is decompressed. */
  readonly body: Readable;
  readonly remoteAddress: string;
}

/** Sends one request and waits for the status line; redirects are answers like any other. Rejects with what got or the guard threw. */
export function openExchange({ method, url, headers, body, guard, limits }: ExchangeRequest): Promise<Exchange> {
  let remoteAddress = '';
  const stream = got.stream(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    agent: createGuardedAgents({ guard, limits, onConnected: (address) => { remoteAddress = address; } }),
    timeout: { response: limits.responseMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  });
  const onAbort = (): void => { stream.destroy(limits.signal.reason as Error); };
  limits.signal.addEventListener('abort', onAbort, { once: true });
  stream.once('close', () => { limits.signal.removeEventListener('abort', onAbort); });
  return new Promise((resolve, reject) => {
    stream.on('error', reject); // stays: an error after the status line is the reader's, but must have a listener
    stream.once('response', ({ statusCode: status, headers: answered }: Response) => {
      resolve({ status, headers: answered, body: stream, remoteAddress });
    });
    if (limits.signal.aborted) onAbort();
  });
}
