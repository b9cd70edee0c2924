import { accountInvariants } from './accounts.ts';
import { archiveInvariants } from './archive.ts';
import type { Invariant } from './invariant.ts';
import { liveInvariants } from './live.ts';
import { priceInvariants } from './prices.ts';
import { taskInvariants } from './tasks.ts';
import { tryInvariants } from './tries.ts';

/** Everything that must be true of the rows, by name. */
export const invariants: Readonly<Record<string, Invariant>> = {
  ...accountInvariants,
  ...liveInvariants,
  ...taskInvariants,
  ...tryInvariants,
  ...priceInvariants,
  ...archiveInvariants,
};

export const invariantNames = Object.keys(invariants);
