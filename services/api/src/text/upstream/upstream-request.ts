import type { TextProvider } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import type { TextRequest } from '../request/index.ts';
import type { UpstreamRequest } from './connections.ts';
import { passThroughHeaders, translatedHeaders, withTrace } from './request-headers.ts';
import type { UpstreamCall } from './upstream-call.ts';

const messagesVersion = '2023-06-01';

/** The HTTP request that puts this call to its upstream. */
export function upstreamRequest(
  { incoming, path, trace }: TextRequest,
  { provider, rendered, wantsStream }: UpstreamCall,
): UpstreamRequest {
  const same = rendered.memory === null;
  const endpoint = endpointOf(provider);
  const query = same ? queryOf(incoming.url) : '';
  const headers = same
    ? passThroughHeaders(incoming, provider)
    : translatedHeaders(provider, messagesVersion);
  return {
    origin: endpoint.origin,
    path: `${path.operation === 'count_tokens' ? endpoint.count : endpoint.create}${query}`,
    headers: trace?.sendsTraceparent === true ? withTrace(headers, trace.traceparent()) : headers,
    body: rendered.body,
    connectTimeoutMs: provider.connectTimeoutMs,
    headTimeoutMs: wantsStream ? provider.firstByteTimeoutMs : provider.answerTimeoutMs,
    idleTimeoutMs: provider.idleTimeoutMs,
  };
}

const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

interface Endpoint {
  readonly origin: string;
  readonly create: string;
  readonly count: string;
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
    /\/v\d+[a-z0-9]*$/.test(base) || (provider.kind === 'chat' && base !== '')
      ? base
      : `${base}/v1`;
  const leaf: Readonly<Record<Dialect, string>> = {
    messages: '/messages',
    chat: '/chat/completions',
  };
  const create = `${versioned}${leaf[provider.kind]}`;
  const endpoint = { origin, create, count: `${create}/count_tokens` };
  endpoints.set(provider, endpoint);
  return endpoint;
}
