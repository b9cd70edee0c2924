import { type Fields, isFields, wordsOf } from '../json.ts';
import type { Source } from '../neutral.ts';
import { known } from '../values.ts';

/**
 * Stands where the vendor's pointer into its own search would: another vendor's source has none, and
 * must be told from a real one when it comes back.
 */
const foreignIndex = 'gw1.source';

/** A source of a chat upstream as a citation. */
export const citationOf = ({ url, title, quote }: Source): Fields => ({
  type: 'web_search_result_location',
  url,
  title: title ?? url,
  cited_text: quote ?? '',
  encrypted_index: foreignIndex,
});

export const isForeignCitation = (citation: unknown): boolean =>
  isFields(citation) && citation['encrypted_index'] === foreignIndex;

/** A citation's source, when it has an address: the other dialect knows no other. */
export function sourceOf(citation: unknown): Source | undefined {
  if (!isFields(citation)) return undefined;
  return webSource(citation['url'] ?? citation['source'], {
    title: wordsOf(citation['title']),
    quote: wordsOf(citation['cited_text']),
  });
}

const webSource = (
  url: unknown,
  about: { title: string | undefined; quote?: string | undefined },
): Source | undefined =>
  typeof url === 'string' && /^https?:\/\//i.test(url) ? { url, ...known(about) } : undefined;

/** The result of a search or a fetch at the vendor. */
export const isResultBlock = ({ type }: Fields): boolean =>
  type === 'web_search_tool_result' || type === 'web_fetch_tool_result';

/** What a tool of the vendor found or fetched, from the block of its result. */
export function resultSources({ content }: Fields): readonly Source[] {
  return (Array.isArray(content) ? content : [content]).filter(isFields).flatMap((result) => {
    const { url, title, content: document } = result;
    const source = webSource(url, {
      title: wordsOf(title) ?? (isFields(document) ? wordsOf(document['title']) : undefined),
    });
    return source === undefined ? [] : [source];
  });
}

/** Sources of one completion: those that its texts cite, then what else was found. */
export interface SourceList {
  cite(source: Source): void;
  found(sources: readonly Source[]): void;
  /** What was found and never cited. */
  uncited(): readonly Source[];
}

export function createSourceList(): SourceList {
  const cited = new Set<string>();
  const found = new Map<string, Source>();
  return {
    cite: ({ url }) => {
      cited.add(url);
    },
    found(sources) {
      for (const source of sources) found.set(source.url, source);
    },
    uncited: () => [...found.values()].filter(({ url }) => !cited.has(url)),
  };
}
