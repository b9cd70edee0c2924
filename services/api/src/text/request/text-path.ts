import type { Dialect } from '@gateway/text-dialects';
import type { TextOperation } from '../../bodies/index.ts';

/**
 * What a path of the text lane means: the dialect of the response, errors included, and what is
 * asked for.
 */
export interface TextPath {
  readonly dialect: Dialect;
  readonly operation: TextOperation;
  /** The path as documented, for labels and logs. */
  readonly route: string;
}

const served: ReadonlyMap<string, TextPath> = new Map([
  ['/v1/messages', { dialect: 'messages', operation: 'create', route: '/v1/messages' }],
  [
    '/v1/messages/count_tokens',
    { dialect: 'messages', operation: 'count_tokens', route: '/v1/messages/count_tokens' },
  ],
  ['/v1/chat/completions', { dialect: 'chat', operation: 'create', route: '/v1/chat/completions' }],
  ['/v1/responses', { dialect: 'responses', operation: 'create', route: '/v1/responses' }],
  ['/v1/embeddings', { dialect: 'chat', operation: 'embed', route: '/v1/embeddings' }],
]);

/** The routes of the text lane; all of them take POST. */
export const textRoutes: readonly string[] = [...served.keys()];

const unknownUnder: readonly (readonly [prefix: string, meaning: TextPath])[] = [
  ['/v1/messages/', { dialect: 'messages', operation: 'unknown', route: 'unmatched' }],
  ['/v1/chat/completions/', { dialect: 'chat', operation: 'unknown', route: 'unmatched' }],
  ['/v1/embeddings/', { dialect: 'chat', operation: 'unknown', route: 'unmatched' }],
];

/**
 * The text route behind a request's URL, or undefined when Express has it. The query plays no part.
 */
export function matchTextPath(url: string): TextPath | undefined {
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  return served.get(path) ?? matchAlias(path);
}

/** Base URLs come with and without /v1, doubled, and with slashes too many. */
function matchAlias(path: string): TextPath | undefined {
  if (!/messages|completions|responses|embeddings/.test(path)) return undefined;
  const bare = path
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(/^(\/v1)+(?=\/)/, '');
  const plain = `/v1${bare}`;
  return served.get(plain) ?? unknownUnder.find(([prefix]) => plain.startsWith(prefix))?.[1];
}
