import type { TextProvider, TextRoute } from '@gateway/contracts';
import type { GatewayError } from '@gateway/domain';
import type { RouteBreakers, Slot } from '@gateway/limits';
import type { TextRequest } from '../request/index.ts';
import type { ProviderSlots } from '../turns/index.ts';
import type { FailedAttempt } from './judge-outcome.ts';
import { accountOf } from './report-outcome.ts';

export interface SlotPorts {
  readonly slots: ProviderSlots;
  readonly breakers: RouteBreakers;
}

/** A route of the model and its provider. */
export interface KnownRoute {
  readonly route: TextRoute;
  readonly provider: TextProvider;
}

/** What a completion knows of the slots it needs. */
export interface SlotHolder {
  readonly request: TextRequest;
  /** Held for the route that is tried. */
  slot: Slot | undefined;
  /** Why no slot became free. */
  noSlot: GatewayError | undefined;
  /** Why the last attempt left the client waiting. */
  last: FailedAttempt | undefined;
  /** The route's breakers refuse the request, and there is no other route left. */
  atLast: boolean;
}

/**
 * True when the request has waited for a slot of this route's provider and holds it, and the route's
 * breakers still let it pass.
 */
export async function waitForSlot(
  { slots, breakers }: SlotPorts,
  completion: SlotHolder,
  { route, provider: { name, maxConcurrent = Infinity } }: KnownRoute,
): Promise<boolean> {
  const { request } = completion;
  const account = accountOf(request);
  const outcome = await slots.wait(request, { provider: name, limit: maxConcurrent, account });
  if (outcome.kind === 'refused') completion.noSlot = outcome.error;
  if (outcome.kind === 'abandoned') {
    completion.last = { failure: { kind: 'aborted', reason: outcome.reason, sent: false } };
  }
  if (outcome.kind !== 'slot') return false;
  completion.atLast = !breakers.mayTry(route.name, account);
  if (completion.atLast && !breakers.mayTryAtLast(route.name, account)) {
    slots.release(name, account, outcome.slot);
    return false;
  }
  completion.slot = outcome.slot;
  return true;
}

/** The slot that the request has waited for, or one that is free. */
export function takeSlot(
  { slots }: SlotPorts,
  completion: SlotHolder,
  { name, maxConcurrent }: TextProvider,
): Slot | undefined | Promise<Slot | undefined> {
  const { slot, request } = completion;
  if (slot !== undefined) return slot;
  if (maxConcurrent === undefined) return unlimited;
  return slots.take(name, maxConcurrent, accountOf(request));
}

export function releaseSlot(
  { slots }: SlotPorts,
  completion: SlotHolder,
  { name }: TextProvider,
): void {
  const { slot, request } = completion;
  completion.slot = undefined;
  if (slot !== undefined && slot !== unlimited) slots.release(name, accountOf(request), slot);
}

/** Of a provider without a limit. */
const unlimited: Slot = { release: () => undefined };
