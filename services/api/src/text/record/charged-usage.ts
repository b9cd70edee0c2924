import { priceOf } from '@gateway/contracts';
import type { TokenPrice } from '@gateway/domain';
import type { Usage } from '@gateway/text-dialects';
import type { TextRequest } from '../request/index.ts';

type Asked = Pick<TextRequest, 'facts' | 'clientGone'>;

/**
 * Usage with what the request asked for where the upstream does not say: its tier, and one use of
 * each tool that has a price. The same object for nearly every request.
 */
export function chargedUsage(usage: Usage, price: TokenPrice | undefined, asked: Asked): Usage {
  const { priced } = asked.facts;
  // Nothing was produced: nothing is known to have been used.
  if (priced === undefined || usage.outputTokens === 0) return usage;
  const tier = priced.find(({ pricedBy }) => pricedBy.list === 'service_tier')?.pricedBy.name;
  const tools = priced.flatMap(({ pricedBy: { list, name } }) =>
    list === 'server_tools' && isUnreported(name, usage, asked) ? [[name, 1] as const] : [],
  );
  return {
    ...usage,
    ...(tier !== undefined && !saysPrice(usage.serviceTier, price) && { serviceTier: tier }),
    ...(tools.length > 0 && {
      serverToolUses: { ...usage.serverToolUses, ...Object.fromEntries(tools) },
    }),
  };
}

/** A vendor that was asked for a tier and served without it says one of these. */
const standardTiers: readonly string[] = ['auto', 'default', 'standard', 'on_demand'];

const saysPrice = (tier: string | undefined, price: TokenPrice | undefined): boolean =>
  tier !== undefined &&
  (standardTiers.includes(tier) ||
    priceOf(price, { list: 'service_tier', name: tier }) !== undefined);

/** A messages upstream reports these when it used them, and nothing when it did not. */
const reportedByMessages: readonly string[] = ['web_search', 'web_fetch'];

/**
 * Who leaves before the end cannot make a tool free. A gateway that ends before it charges nobody
 * for what it does not know.
 */
function isUnreported(tool: string, usage: Usage, { facts, clientGone }: Asked): boolean {
  if (usage.serverToolUses !== undefined && Object.hasOwn(usage.serverToolUses, tool)) return false;
  if (usage.estimated) return clientGone;
  // A Response object shows every use as an item.
  if (facts.upstreamDialect === 'responses') return false;
  return facts.upstreamDialect !== 'messages' || !reportedByMessages.includes(tool);
}
