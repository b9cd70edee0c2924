import type { Guard } from '@gateway/testing';
import type { Lacks } from '../actors/surroundings.ts';

/** A protection of the product that can be taken away in a world, and how its absence shows. */
export interface Protection {
  /** In a command. */
  readonly key: string;
  readonly name: string;
  readonly guards?: readonly Guard[];
  /** What no statement does. */
  readonly lacks?: Lacks;
  readonly fault: RegExp;
  /** The first in whose world it shows. */
  readonly seed: number;
  /** In its brief world. */
  readonly isBrief?: true;
}
