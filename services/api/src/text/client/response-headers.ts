import type { IncomingHttpHeaders } from 'node:http';
import { hopByHopHeaders } from '../request/index.ts';

/**
 * Ours replace them: ids, limits of this key and not of the operator's account, and what Node
 * writes itself.
 */
const keptFromClient = new Set([
  ...hopByHopHeaders,
  'content-length',
  'content-encoding',
  'date',
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-expose-headers',
  'access-control-max-age',
  'request-id',
  'x-request-id',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-requests-reset',
  'anthropic-organization-id',
  'openai-organization',
]);

/**
 * Adds the headers of the upstream's response that the client may see. The upstream's request id
 * goes by another name, for the operator's questions to the vendor.
 */
export function forwardHeaders(upstream: IncomingHttpHeaders, into: string[]): void {
  for (const name in upstream) {
    if (keptFromClient.has(name)) continue;
    const value = upstream[name];
    if (value !== undefined) {
      for (const each of Array.isArray(value) ? value : [value]) pushHeader(into, name, each);
    }
  }
  const id = upstream['request-id'] ?? upstream['x-request-id'];
  if (typeof id === 'string') pushHeader(into, 'x-upstream-request-id', id);
}

/** What Node refuses to write is left out: throwing here would cost the whole response. */
function pushHeader(into: string[], name: string, value: string): void {
  if (/^[\t -~\u0080-\u00ff]*$/.test(value)) into.push(name, value);
}

export const eventStreamHeaders: readonly string[] = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
];
