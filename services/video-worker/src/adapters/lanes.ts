/** So many tasks of one provider may be looked at in this replica at once. */
export interface Lanes {
  /** A way in, to be left when done; undefined when the provider's lane is full. */
  enter(provider: string): (() => void) | undefined;
}

/** A vendor that hangs fills its own lane and nobody else's. */
export function createLanes(width: number): Lanes {
  const inside = new Map<string, number>();
  return {
    enter(provider) {
      const count = inside.get(provider) ?? 0;
      if (count >= width) return undefined;
      inside.set(provider, count + 1);
      return () => { inside.set(provider, (inside.get(provider) ?? 1) - 1); };
    },
  };
}
