import type { TokenPrice } from '@gateway/domain';

/** The entry of a model's `token_quota` that prices a part of a request, and so allows it. */
export interface PricedBy {
  readonly list: 'service_tier' | 'server_tools';
  readonly name: string;
}

/** Names as the configuration spells them. */
export const pricedNamePattern = '^[a-z][a-z0-9_-]{0,63}$';
const isPricedName = new RegExp(pricedNamePattern);

/** A tier by the value that asks for it. */
export const pricedTier = (value: unknown): PricedBy | undefined =>
  typeof value === 'string' && isPricedName.test(value)
    ? { list: 'service_tier', name: value }
    : undefined;

/** A tool by its type: `web_search_20250305` and `openrouter:web_search` are `web_search`. */
export function pricedTool(type: string): PricedBy | undefined {
  const name = type.replace(/^[\w-]{1,64}:/, '').replace(/_\d{8}$/, '');
  return isPricedName.test(name) ? { list: 'server_tools', name } : undefined;
}

/** No honest request lets a tool be used more often. */
const mostUses = 100;

/** How often a request lets a tool be used; undefined where it does not say. */
export function usesOf(tool: unknown): number | undefined {
  const most = (tool as { readonly max_uses?: unknown } | null)?.max_uses;
  return typeof most === 'number' && most > 0 ? Math.min(Math.ceil(most), mostUses) : undefined;
}

/** The factor of a tier, or the price of one use of a tool; undefined where the model has none. */
export function priceOf(
  price: TokenPrice | undefined,
  { list, name }: PricedBy,
): number | undefined {
  const prices = list === 'service_tier' ? price?.serviceTiers : price?.serverTools;
  return prices !== undefined && Object.hasOwn(prices, name) ? prices[name] : undefined;
}

/** The entries that a model has for some parts of a request; undefined for nearly every request. */
export function pricesFor<Part extends { readonly pricedBy?: PricedBy | undefined }>(
  parts: readonly Part[] | undefined,
  price: TokenPrice | undefined,
): readonly (Part & { readonly pricedBy: PricedBy })[] | undefined {
  const found = parts?.filter(
    (part): part is Part & { readonly pricedBy: PricedBy } =>
      part.pricedBy !== undefined && priceOf(price, part.pricedBy) !== undefined,
  );
  return found === undefined || found.length === 0 ? undefined : found;
}
