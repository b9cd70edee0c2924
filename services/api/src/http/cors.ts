import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { matchTextPath } from '../text/index.ts';

/** What clients in browsers send: the official SDKs of all dialects, and what our own routes take. */
const requestHeaders =
  /^(accept|accept-language|authorization|cache-control|content-type|idempotency-key|if-match|if-none-match|if-modified-since|if-unmodified-since|if-range|last-event-id|mcp-method|mcp-name|mcp-protocol-version|range|traceparent|tracestate|user-agent|x-api-key|x-request-id|x-client-request-id|(anthropic|openai|x-stainless|x-gateway)-[a-z0-9-]{1,60})$/;

/** What a page may read of a response, beside its type, its length and how it may be cached. */
const responseHeaders = [
  'request-id',
  'x-request-id',
  'x-upstream-request-id',
  'retry-after',
  'x-should-retry',
  'location',
  'idempotency-replayed',
  'accept-ranges',
  'content-range',
  'content-disposition',
  'etag',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-requests-reset',
  'x-gateway-estimated',
  'x-gateway-dropped-params',
].join(', ');

const methods = 'GET, HEAD, POST, DELETE, OPTIONS';
/** How long a browser need not ask again; none remembers for longer than two hours. */
const maxAgeSeconds = '7200';

/**
 * Lets pages of these origins, separated by commas, use `/v1` and `/mcp` from a browser; `*` is every origin.
 * Empty: nothing is done, and browsers refuse such pages. No credentials of the browser count: a key
 * is sent in a header by whoever has it.
 */
export function withCors(origins: string, handler: RequestListener): RequestListener {
  const allowed = new Set(originsIn(origins));
  if (allowed.size === 0) return handler;
  const allowsAll = allowed.has('*');
  return (request, response) => {
    if (!isCustomerPath(request.url ?? '')) {
      handler(request, response);
      return;
    }
    if (!allowsAll) response.setHeader('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(allowsAll || allowed.has(origin))) {
      handler(request, response);
      return;
    }
    response.setHeader('access-control-allow-origin', allowsAll ? '*' : origin);
    if (isPreflight(request)) respondToPreflight(request, response);
    else {
      response.setHeader('access-control-expose-headers', responseHeaders);
      handler(request, response);
    }
  };
}

/** Throws for what is no origin: a mistake would only show in somebody's browser. */
export function originsIn(list: string): string[] {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    if (entry !== '*' && (!URL.canParse(entry) || new URL(entry).origin !== entry)) {
      throw new Error(
        `CORS_ORIGINS must be a list of origins, such as https://app.example.com, or *; got ${JSON.stringify(entry)}`,
      );
    }
  }
  return entries;
}

/** Text is served without `/v1`, too. */
const isCustomerPath = (url: string): boolean =>
  url.startsWith('/v1/') || /^\/mcp(?:\?|$)/.test(url) || matchTextPath(url) !== undefined;

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

function respondToPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const asked = (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => requestHeaders.test(name));
  response.setHeader('access-control-allow-methods', methods);
  if (asked.length > 0) response.setHeader('access-control-allow-headers', asked.join(', '));
  response.setHeader('access-control-max-age', maxAgeSeconds);
  response.setHeader('x-content-type-options', 'nosniff');
  response.writeHead(204).end();
}
