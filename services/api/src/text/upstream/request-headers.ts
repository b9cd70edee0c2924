import type { IncomingMessage } from 'node:http';
import type { TextProvider } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import { hopByHopHeaders } from '../request/index.ts';

/** A client's credentials stay here, and so does what its own way to us added. */
const keptFromUpstream = new Set([
  ...hopByHopHeaders,
  'host',
  'content-length',
  'content-type',
  'accept-encoding',
  'expect',
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'x-request-id',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'via',
]);

/** How a vendor wants its key. Compatible servers of the messages dialect look for either. */
const credentials: Readonly<Record<Dialect, (provider: TextProvider) => string[]>> = {
  messages: ({ vendor, apiKey }) => [
    'x-api-key',
    apiKey,
    ...(vendor === 'anthropic' ? [] : ['authorization', `Bearer ${apiKey}`]),
  ],
  chat: ({ vendor, apiKey }) =>
    vendor === 'azure' ? ['api-key', apiKey] : ['authorization', `Bearer ${apiKey}`],
};

/**
 * Same dialect: everything the client sent, its credentials and hop-by-hop headers replaced. Names
 * and values in turn.
 */
export function passThroughHeaders(
  { rawHeaders }: IncomingMessage,
  provider: TextProvider,
): string[] {
  const headers = ownHeaders(provider).slice();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!keptFromUpstream.has(name.toLowerCase())) {
      headers.push(name, rawHeaders[index + 1] as string);
    }
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
