import type { Dice } from '../../chaos/random.ts';
import type { ApiFace } from './api.ts';
import type { BillingFace } from './billing.ts';
import type { Replica, Surroundings } from './surroundings.ts';

export interface Fleet {
  readonly apis: readonly Replica<ApiFace>[];
  readonly workers: readonly Replica<void>[];
  readonly billing: readonly Replica<BillingFace>[];
  readonly dispatchers: readonly Replica<void>[];
}

export const everybody = (fleet: Fleet): readonly Replica<unknown>[] => [
  ...fleet.apis,
  ...fleet.workers,
  ...fleet.billing,
  ...fleet.dispatchers,
];

/** Something that goes wrong at one moment. */
export type Accident = (surroundings: Surroundings, fleet: Fleet, dice: Dice) => void;
