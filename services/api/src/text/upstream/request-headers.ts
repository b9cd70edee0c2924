import type { IncomingMessage } from 'node:http';
import { watchedHeaders, restrictedHeader, type TextProvider } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import { hopByHopHeaders } from '../request/index.ts';
import { refuseRestricted } from './refuse-restricted.ts';

/**
 * A client's credentials stay here, and so does what its own way to us added. A vendor would look
 * for an idempotency key among those of all customers.
 */
const keptFromUpstream = [
  ...hopByHopHeaders,
  'host',
  'content-length',
  'content-type',
  'accept-encoding',
  'expect',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'idempotency-key',
  'cookie',
  'x-request-id',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'via',
];

/** One look for each header of each request. */
const special: ReadonlyMap<string, 'keep' | 'look'> = new Map([
  ...watchedHeaders.map((name) => [name, 'look'] as const),
  ...keptFromUpstream.map((name) => [name, 'keep'] as const),
]);

const bearerOrAzure = ({ vendor, apiKey }: TextProvider): string[] =>
  vendor === 'azure' ? ['api-key', apiKey] : ['authorization', `Bearer ${apiKey}`];

/** How a vendor wants its key. Compatible servers of the messages dialect look for either. */
const credentials: Readonly<Record<Dialect, (provider: TextProvider) => string[]>> = {
  messages: ({ vendor, apiKey }) => [
    'x-api-key',
    apiKey,
    ...(vendor === 'anthropic' ? [] : ['authorization', `Bearer ${apiKey}`]),
  ],
  chat: bearerOrAzure,
  responses: bearerOrAzure,
};

/**
 * Same dialect: everything the client sent, its credentials and hop-by-hop headers replaced. Names
 * and values in turn. Throws unsupported_parameter for a header that the provider has to allow.
 */
export function passThroughHeaders(
  { rawHeaders }: IncomingMessage,
  provider: TextProvider,
): string[] {
  const headers = ownHeaders(provider).slice();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const lower = name.toLowerCase();
    const handling = special.get(lower);
    if (handling === 'keep') continue;
    if (handling === 'look') refuseRestricted(restrictedHeader(lower, value, provider.forward));
    headers.push(name, value);
  }
  return headers;
}

/** The headers with our `traceparent` instead of the client's. */
export function withTrace(headers: readonly string[], traceparent: string): string[] {
  const others = headers.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'traceparent' ? [name, headers[index + 1] ?? ''] : [],
  );
  return [...others, 'traceparent', traceparent];
}

/** Other dialect: nothing of the client's own headers means anything there. */
export const translatedHeaders = (provider: TextProvider, version: string): string[] => [
  ...ownHeaders(provider),
  'accept',
  '*/*',
  'user-agent',
  'generation-gateway',
  ...(provider.kind === 'messages' ? ['anthropic-version', version] : []),
];

const known = new WeakMap<TextProvider, readonly string[]>();

/** A compressed response could be neither metered nor forwarded chunk by chunk. */
function ownHeaders(provider: TextProvider): readonly string[] {
  const own = known.get(provider) ?? [
    'content-type',
    'application/json',
    'accept-encoding',
    'identity',
    ...credentials[provider.kind](provider),
  ];
  known.set(provider, own);
  return own;
}
