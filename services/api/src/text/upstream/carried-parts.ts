import type { IncomingMessage } from 'node:http';
import { judgeQuery, type ForwardLists, type TextProvider } from '@gateway/contracts';
import { refuseRestricted } from './refuse-restricted.ts';
import { passThroughHeaders, translatedHeaders } from './request-headers.ts';

/** What goes to an upstream beside the body. */
export interface CarriedParts {
  /** Names and values in turn. */
  readonly headers: string[];
  /** With its question mark; empty when there is none. */
  readonly query: string;
  /** Names of the query that stay here. */
  readonly dropped: readonly string[];
}

const messagesVersion = '2023-06-01';
const none: readonly string[] = [];

/**
 * Of a request in the dialect of the upstream, everything that the provider's pass-through carries;
 * of any other nothing. Throws unsupported_parameter for what the provider has to allow.
 */
export function carriedParts(
  incoming: IncomingMessage,
  provider: TextProvider,
  isSameDialect: boolean,
): CarriedParts {
  if (!isSameDialect) {
    return { headers: translatedHeaders(provider, messagesVersion), query: '', dropped: none };
  }
  const headers = passThroughHeaders(incoming, provider);
  const url = incoming.url ?? '';
  const question = url.indexOf('?');
  if (question === -1) return { headers, query: '', dropped: none };
  return { headers, ...carriedQuery(url.slice(question + 1), provider.forward) };
}

/** Each parameter as the client spelled it. */
function carriedQuery(text: string, forward: ForwardLists): Omit<CarriedParts, 'headers'> {
  const kept: string[] = [];
  const dropped: string[] = [];
  for (const spelled of text.split('&')) {
    for (const name of new URLSearchParams(spelled).keys()) {
      const verdict = judgeQuery(name, forward);
      if (verdict === 'forward') kept.push(spelled);
      else if (verdict === 'drop') dropped.push(name);
      else refuseRestricted(verdict);
    }
  }
  return { query: kept.length === 0 ? '' : `?${kept.join('&')}`, dropped };
}
