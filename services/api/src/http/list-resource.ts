import type { Page } from '@gateway/store';

/** A page as every list of the gateway shows it. */
export function listOf<Item, Resource extends { readonly id: string }>(
  { items, hasMore }: Page<Item>,
  resourceOf: (item: Item) => Resource,
) {
  const data = items.map(resourceOf);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
