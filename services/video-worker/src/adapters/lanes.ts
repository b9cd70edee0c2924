/** So many tasks of one provider may be looked at in this replica at once. */
export interface Lanes {
  /** A way in, to be left when done; undefined when the provider's lane is full. */
  enter(provider: string): (() => void) | undefined;
  /**
   * How long a stay in the provider's lane takes: of late on average, or for as long as nobody has
   * left it if that is longer. In ms.
   */
  stayMs(provider: string): number;
  /**
   * About how many were turned away and have not come back yet; too many rather than too few while
   * the lane stays full.
   */
  turnedAway(provider: string): number;
}

interface Lane {
  inside: number;
  turnedAway: number;
  averageMs: number;
  leftAt: number;
}

/** As long as nobody has left a lane. */
const unknownStayMs = 1_000;
/** What the last stay counts in the average. */
const shareOfLast = 1 / 16;

/** A vendor that hangs fills its own lane and nobody else's. */
export function createLanes(width: number, now: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  const laneOf = (provider: string): Lane => {
    const lane = lanes.get(provider) ?? {
      inside: 0,
      turnedAway: 0,
      averageMs: unknownStayMs,
      leftAt: now(),
    };
    lanes.set(provider, lane);
    return lane;
  };
  return {
    enter(provider) {
      const lane = laneOf(provider);
      if (lane.inside >= width) {
        lane.turnedAway += 1;
        return undefined;
      }
      lane.turnedAway = Math.max(0, lane.turnedAway - 1);
      const enteredAt = now();
      // Nobody could leave an empty lane.
      if (lane.inside === 0) lane.leftAt = enteredAt;
      lane.inside += 1;
      return () => {
        lane.inside -= 1;
        lane.leftAt = now();
        lane.averageMs += (lane.leftAt - enteredAt - lane.averageMs) * shareOfLast;
      };
    },
    stayMs(provider) {
      const { averageMs, leftAt } = laneOf(provider);
      return Math.max(averageMs, now() - leftAt);
    },
    turnedAway: (provider) => laneOf(provider).turnedAway,
  };
}
