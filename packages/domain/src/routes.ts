import type { TaskFailureCode } from './task-failure.ts';
import type { TryOutcome } from './task-try.ts';

/**
 * Why a task left a route. For each of them it is certain that the vendor made nothing of it and
 * never will.
 *
 * | cause | means |
 * |---|---|
 * | `not_sent` | the vendor could not be reached |
 * | `busy` | the vendor took no more work for longer than the model waits |
 * | `refused` | something in front of the vendor refused, or the vendor the operator's account, key or model |
 * | `breaker_open` | the task was not sent, because the vendor serves nobody |
 * | `model_gone` | the task was not sent, because the vendor has said that it has no such model |
 * | `failed` | the vendor failed to render it, charges nothing, and the model says that this is enough |
 */
export const leaveCauses = [
  'not_sent',
  'busy',
  'refused',
  'breaker_open',
  'model_gone',
  'failed',
] as const;
export type LeaveCause = (typeof leaveCauses)[number];

/** What happened to a task on its route. */
export type RouteNews =
  /** How handing it to the vendor, or the vendor's work on it, has ended. */
  | { readonly kind: Exclude<TryOutcome, 'busy' | 'failed'> }
  | { readonly kind: 'busy'; readonly forMs: number }
  | { readonly kind: 'failed'; readonly code: TaskFailureCode; readonly isCharged: boolean }
  /** It was not handed to the vendor at all. */
  | { readonly kind: 'breaker_open' | 'model_gone' };

/** What a model says about leaving a route. */
export interface LeavePolicy {
  readonly busyAfterMs: number;
  readonly retryFailed: boolean;
}

/** Ends of the vendor's own making: what the customer wrote, or asked for, is no part of them. */
const vendorsOwn: readonly TaskFailureCode[] = ['vendor_error', 'vendor_account', 'expired'];

/**
 * Why a task leaves its route after this; undefined: it must not. Never when nobody knows what the
 * vendor makes of it, nor once its customer wants it cancelled.
 */
export function causeToLeave(
  news: RouteNews,
  { busyAfterMs, retryFailed }: LeavePolicy,
  { hasCancelRequest }: { readonly hasCancelRequest: boolean },
): LeaveCause | undefined {
  if (hasCancelRequest) return undefined;
  if (news.kind === 'busy') return news.forMs >= busyAfterMs ? 'busy' : undefined;
  if (news.kind !== 'failed') return causeOf[news.kind];
  return retryFailed && !news.isCharged && vendorsOwn.includes(news.code) ? 'failed' : undefined;
}

const causeOf = {
  not_sent: 'not_sent',
  unavailable: 'refused',
  breaker_open: 'breaker_open',
  model_gone: 'model_gone',
  accepted: undefined,
  refused: undefined,
  unknown: undefined,
  succeeded: undefined,
  cancelled: undefined,
  abandoned: undefined,
} as const satisfies Record<Exclude<RouteNews['kind'], 'busy' | 'failed'>, LeaveCause | undefined>;

export interface Weighted {
  readonly weight: number;
  /** Chosen only where there is no other. */
  readonly fallback: boolean;
}

/** One of the routes by their weights, or undefined where there is none. `random` is in [0, 1). */
export function pickRoute<Route extends Weighted>(
  routes: readonly Route[],
  random: number,
): Route | undefined {
  const first = routes.filter(({ fallback }) => !fallback);
  const among = first.length > 0 ? first : routes;
  let left = random * among.reduce((sum, { weight }) => sum + weight, 0);
  for (const route of among) {
    left -= route.weight;
    if (left < 0) return route;
  }
  return among.at(-1);
}
