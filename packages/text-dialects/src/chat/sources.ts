import { type Fields, isFields, wordsOf } from '../json.ts';
import { movedSource } from '../source.ts';
import type { Completion, Source, TextEvent, TextPart } from '../neutral.ts';
import { known, readCount } from '../values.ts';

/** A source as the chat dialect tells it: a place in the text and what stands behind it. */
const annotationOf = ({ url, title, from, to }: Source, textLength: number): Fields => ({
  type: 'url_citation',
  url_citation: {
    start_index: from ?? textLength,
    end_index: to ?? textLength,
    url,
    title: title ?? url,
  },
});

/** `textLength`: of the whole text, where what is about no part of it stands. */
export const annotationsOf = (sources: readonly Source[], textLength: number): readonly Fields[] =>
  sources.map((source) => annotationOf(source, textLength));

/** The sources of a whole completion, as places in its joined text. */
export function sourcesOf(parts: Completion['parts']): readonly Source[] {
  const found: Source[] = [];
  let offset = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    for (const source of part.sources ?? []) found.push(movedSource(source, offset));
    offset += part.text.length;
  }
  return found;
}

/**
 * Sources of a message or a delta (`annotations`), and of the body around it: Perplexity's and
 * xAI's lists, whose order the text refers to.
 */
export function readSources(message: Fields, body: Fields): readonly Source[] {
  if (message['annotations'] === undefined && !hasLists(body)) return none;
  const cited = listOf(message['annotations']).flatMap(readAnnotation);
  if (cited.length > 0) return cited;
  const results = listOf(body['search_results']).flatMap((item) => readResult(item));
  return results.length > 0
    ? results
    : listOf(body['citations']).flatMap((item) =>
        typeof item === 'string' ? webSource({ url: item }) : readResult(item),
      );
}

const none: readonly Source[] = [];

const hasLists = (body: Fields): boolean =>
  body['search_results'] !== undefined || body['citations'] !== undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : none);

function readAnnotation(item: unknown): readonly Source[] {
  if (!isFields(item) || item['type'] !== 'url_citation') return none;
  const cited = isFields(item['url_citation']) ? item['url_citation'] : item;
  return webSource({
    url: cited['url'],
    title: cited['title'],
    quote: cited['content'],
    from: readCount(cited['start_index']),
    to: readCount(cited['end_index']),
  });
}

const readResult = (item: unknown): readonly Source[] =>
  isFields(item)
    ? webSource({ url: item['url'], title: item['title'], quote: item['snippet'] })
    : none;

interface GivenSource {
  readonly url: unknown;
  readonly title?: unknown;
  readonly quote?: unknown;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

function webSource({ url, title, quote, from, to }: GivenSource): readonly Source[] {
  const address = wordsOf(url);
  return address === undefined
    ? none
    : [{ url: address, ...known({ title: wordsOf(title), quote: wordsOf(quote), from, to }) }];
}

/** Tells each source of a stream once: vendors repeat their lists on every chunk. */
export function createSourceReader(): {
  read(choice: Fields, body: Fields): readonly SourceEvent[];
} {
  const told = new Set<string>();
  return {
    read(choice, body) {
      const message = isFields(choice['delta']) ? choice['delta'] : {};
      return readSources(message, body)
        .filter((source) => {
          const key = JSON.stringify(source);
          return !told.has(key) && told.add(key);
        })
        .map((source) => ({ type: 'source', source }));
    },
  };
}

type SourceEvent = Extract<TextEvent, { readonly type: 'source' }>;

/** The text of a completion with its sources, which stand beside it in the chat dialect. */
export const withSources = (text: string, sources: readonly Source[]): TextPart => ({
  type: 'text',
  text,
  ...(sources.length > 0 && { sources }),
});
