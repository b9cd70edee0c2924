import { withoutGuard, type Unguarded } from '@gateway/testing';
import type { Database } from '@gateway/store';
import type { SimulationOptions } from '../simulate.ts';
import { briefProtections } from './brief-protections.ts';
import { longProtections } from './long-protections.ts';
import type { Protection } from './protection.ts';
import { textProtections } from './text-protections.ts';

/** Cut out one at a time: a simulation is worth what it finds. */
export const protections: readonly Protection[] = [
  ...longProtections,
  ...briefProtections,
  ...textProtections,
];

/** Takes it away from every replica that is begun from now on. */
export const without =
  ({ guards = [] }: Protection, onRemoved: (unguarded: Unguarded) => void = () => undefined) =>
  (database: Database): Database => {
    const unguarded = withoutGuard(database, guards);
    onRemoved(unguarded);
    return unguarded.database;
  };

export const keysOfProtections: readonly string[] = protections.map(({ key }) => key);

/** What `simulate` takes to go without a protection; nothing without a key. */
export function weakeningOf(key: string | undefined): Pick<SimulationOptions, 'weaken' | 'lacks'> {
  const protection = protections.find((one) => one.key === key);
  if (protection === undefined) return {};
  const { lacks } = protection;
  return { weaken: without(protection), ...(lacks !== undefined && { lacks }) };
}
