import type { CallbackState } from '@gateway/client';
import type { Mood } from './status-mark.tsx';

export const callbackMoods: Readonly<Record<CallbackState, Mood>> = {
  delivered: 'good',
  pending: 'waiting',
  failing: 'bad',
  stopped: 'over',
};
export const callbackStates = Object.keys(callbackMoods) as readonly CallbackState[];

/** The state that an address names, if there is one like that. */
export const callbackStateIn = (text: string | null): CallbackState | undefined =>
  callbackStates.find((each) => each === text);
