import {
  priceOf,
  pricesFor,
  type RestrictedPart,
  type TextModel,
  type TextRequestHead,
} from '@gateway/contracts';
import { tokenCost, type PricedTokens, type TokenPrice } from '@gateway/domain';
import type { RequestBody } from '../../bodies/index.ts';

/** What is known of a request's cost before it is sent. */
interface Reserved {
  readonly head: TextRequestHead;
  readonly body: RequestBody;
  readonly restricted: readonly RestrictedPart[] | undefined;
}

/**
 * What a request sets aside, in nano-quota: its prompt, estimated, at the dearest price that it may
 * have, the longest completion that it or its model allows, bounded by the model's
 * `hold_output_tokens`, for each choice it asks for, and what it asks for that has a price of its
 * own.
 */
export function reservationNano(
  price: TokenPrice,
  { holdOutputTokens, maxOutputTokens = Infinity }: TextModel,
  { head, body, restricted }: Reserved,
): number {
  const outputTokens = longestCompletion(head, Math.min(holdOutputTokens, maxOutputTokens));
  const tokens = mostTokens(price, body, outputTokens);
  // Spread only where there is something: it costs a short request two microseconds.
  const asked = restricted === undefined ? tokens : { ...tokens, ...extras(price, restricted) };
  return Number(tokenCost(price, asked));
}

/** A vendor may write all of a prompt to its cache, for an hour only when asked to. */
function mostTokens(price: TokenPrice, body: RequestBody, outputTokens: number): PricedTokens {
  const { input, cacheWrite, cacheWrite1h = cacheWrite } = price;
  const tokens = body.tokensToReserve();
  const dearest = Math.max(input, cacheWrite);
  const forAnHour = cacheWrite1h > dearest && body.mayCacheForAnHour();
  const isWritten = forAnHour || cacheWrite > input;
  return {
    inputTokens: isWritten ? 0 : tokens,
    cachedInputTokens: 0,
    cacheWriteTokens: isWritten ? tokens : 0,
    cacheWrite1hTokens: forAnHour ? tokens : 0,
    outputTokens,
  };
}

/** A cheaper tier is no promise of the vendor; a tool may be used once if the request says nothing. */
function extras(
  price: TokenPrice,
  restricted: readonly RestrictedPart[],
): Pick<PricedTokens, 'serviceTier' | 'serverToolUses'> {
  const serverToolUses: Record<string, number> = {};
  let serviceTier: string | undefined;
  for (const { pricedBy, uses = 1 } of pricesFor(restricted, price) ?? []) {
    const { list, name } = pricedBy;
    if (list === 'server_tools') serverToolUses[name] = Math.max(uses, serverToolUses[name] ?? 0);
    else if ((priceOf(price, pricedBy) ?? 1) > 1) serviceTier = name;
  }
  return { serviceTier, serverToolUses };
}

/** `n` has no bound of its own; a model that writes so many has one. */
const mostChoices = 128;

const longestCompletion = (
  { maxTokens = Infinity, choices }: TextRequestHead,
  bound: number,
): number => Math.min(maxTokens, bound) * Math.min(choices, mostChoices);
