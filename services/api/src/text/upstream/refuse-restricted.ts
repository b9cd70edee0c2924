import {
  isListed,
  priceOf,
  type ForwardLists,
  type PricedBy,
  type RestrictedPart,
} from '@gateway/contracts';
import { GatewayError, type TokenPrice } from '@gateway/domain';

/** Throws unsupported_parameter for a part that the provider has to allow and does not. */
export function refuseRestricted(part: RestrictedPart | undefined): void {
  if (part === undefined) return;
  const { list, param, name, because, remedy, pricedBy } = part;
  const what =
    list === 'tools' ? `a tool of the type ${JSON.stringify(name.slice(0, 100))}` : param;
  throw new GatewayError(
    'unsupported_parameter',
    `${what} is not forwarded: it ${because}; ${remedy}; the operator can allow it (forward.${list} of the provider${orPrice(pricedBy)})`,
    { param },
  );
}

const orPrice = (pricedBy: PricedBy | undefined): string =>
  pricedBy === undefined
    ? ''
    : `, or a price in token_quota.${pricedBy.list}.${pricedBy.name} of the model`;

/** What allows a part of a body. */
interface Allowance {
  readonly forward: ForwardLists;
  /** What has a price may be used. */
  readonly price: TokenPrice | undefined;
}

/** The same for the parts of a body. */
export function checkRestrictedParts(
  parts: readonly RestrictedPart[] | undefined,
  { forward, price }: Allowance,
): void {
  refuseRestricted(
    parts?.find(
      ({ list, name, pricedBy }) =>
        !isListed(forward[list], name) &&
        (pricedBy === undefined || priceOf(price, pricedBy) === undefined),
    ),
  );
}
