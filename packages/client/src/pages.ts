import type { Call, Transport } from './transport.ts';
import type { CallOptions } from './types.ts';

/** One page of a list, as the gateway sends it. */
export interface Page<Item> {
  /** May be empty although `has_more`: a search looks through so many items a page. */
  readonly data: readonly Item[];
  /** Where this page ends: the next one is what comes `after` it. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Of a list: where it begins, and in what portions it is read. */
export interface ListOptions extends CallOptions {
  /** Lists only what follows the item with this id. */
  readonly after?: string | undefined;
  /** How many items one call asks for; 100, the most there can be, when left out. */
  readonly perPage?: number | undefined;
}

/** A list of the gateway: all of it with `for await`, or a page at a time with `page()`. */
export interface List<Item> extends AsyncGenerator<Item, void, undefined> {
  /** Makes one call and no more. To go on, list again with the page's `last_id` as `after`. */
  page(): Promise<Page<Item>>;
}

/** A list that asks for nothing until it is read. */
export function listOf<Item>(
  transport: Transport,
  call: Call,
  { after: first, perPage = 100, signal }: ListOptions = {},
): List<Item> {
  const read = (after: string | undefined): Promise<Page<Item>> =>
    transport.json<Page<Item>>({
      ...call,
      query: { ...call.query, limit: perPage, after },
      signal,
    });
  return Object.assign(everyItem(read, first), { page: () => read(first) });
}

/** Page after page; the next one is asked for when the last one has been used up. */
async function* everyItem<Item>(
  read: (after: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  let after = first;
  for (;;) {
    const page: Page<Item> = await read(after);
    yield* page.data;
    if (!page.has_more || page.last_id === null) return;
    after = page.last_id;
  }
}
