import type { TextProvider } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import { isUsedAgain, type TextOperation } from '../../bodies/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { UpstreamRequest } from './connections.ts';
import { withTrace } from './request-headers.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** The HTTP request that puts this call to its upstream. */
export function upstreamRequest(
  request: TextRequest,
  { provider, rendered, wantsStream, carried: { headers, query } }: UpstreamCall,
): UpstreamRequest {
  const { path, trace } = request;
  const endpoint = endpointOf(provider);
  return {
    origin: endpoint.origin,
    path: `${endpoint[path.operation]}${query}`,
    headers: trace?.sendsTraceparent === true ? withTrace(headers, trace.traceparent()) : headers,
    body: rendered.body,
    connectTimeoutMs: provider.connectTimeoutMs,
    headTimeoutMs: wantsStream ? provider.firstByteTimeoutMs : provider.responseTimeoutMs,
    idleTimeoutMs: provider.idleTimeoutMs,
    ...(rendered.body.some(isUsedAgain) && { onSent: noteWhenSent(request) }),
  };
}

/** Until then nobody else's body may be written to its memory. */
function noteWhenSent(request: TextRequest): () => void {
  request.unsentBodies += 1;
  return () => {
    request.unsentBodies -= 1;
  };
}

/** The path of each operation at one provider. */
interface Endpoint extends Readonly<Record<TextOperation, string>> {
  readonly origin: string;
}

const endpoints = new WeakMap<TextProvider, Endpoint>();

/**
 * Base URLs are written with and without the version: `https://api.anthropic.com`,
 * `https://api.openai.com/v1`, `https://host/compatible-mode/v1`.
 */
function endpointOf(provider: TextProvider): Endpoint {
  const known = endpoints.get(provider);
  if (known !== undefined) return known;
  const { origin, pathname } = new URL(provider.baseUrl);
  const base = pathname.replace(/\/+$/, '');
  const versioned =
    /\/v\d+[a-z0-9]*$/.test(base) || (provider.kind !== 'messages' && base !== '')
      ? base
      : `${base}/v1`;
  const leaf: Readonly<Record<Dialect, string>> = {
    messages: '/messages',
    chat: '/chat/completions',
    responses: '/responses',
  };
  const create = `${versioned}${leaf[provider.kind]}`;
  const endpoint = {
    origin,
    create,
    count_tokens: `${create}/count_tokens`,
    embed: `${versioned}/embeddings`,
    unknown: create,
  };
  endpoints.set(provider, endpoint);
  return endpoint;
}
