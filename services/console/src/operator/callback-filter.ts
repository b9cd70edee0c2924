import type { CallbackState, OperatorCallbackFilter } from '@gateway/client';
import { callbackStateIn } from '../parts/callback-states.ts';
import { accountId } from './video-filter.ts';

/** The filter that an address says; what cannot be one is left out. */
export function callbackFilterOf(search: URLSearchParams): OperatorCallbackFilter {
  const state = callbackStateIn(search.get('state'));
  const account = search.get('account') ?? '';
  return {
    ...(state !== undefined && { state }),
    ...(accountId.test(account) && { account }),
  };
}

/** The same address with another state, or with none. */
export function withState(
  search: URLSearchParams,
  state: CallbackState | undefined,
): URLSearchParams {
  const next = new URLSearchParams(search);
  if (state === undefined) next.delete('state');
  else next.set('state', state);
  return next;
}
