/** What the pieces of bodies leave behind in memory. */
export interface BodyGarbage {
  /** A piece of a body was read, which is the collector's now, or once its request is over. */
  read(bytes: number): void;
}

/**
 * Dead pieces lie outside of V8's heap. It lets them pile up to 64 MiB, and the memory that malloc took
 * for them stays taken; then it collects all of its heap, which costs ten times as much as collecting
 * the young objects that hold them: a third of what a body of 100 kB cost. Sooner than this, those that
 * are still in use are copied again and again.
 */
const collectEveryBytes = 12_582_912;

export function createBodyGarbage(collectYoung: () => void): BodyGarbage {
  let sinceBytes = 0;
  return {
    read(bytes) {
      sinceBytes += bytes;
      if (sinceBytes < collectEveryBytes) return;
      sinceBytes = 0;
      collectYoung();
    },
  };
}
