/** What the pieces of large bodies leave behind in memory. */
export interface BodyGarbage {
  /** A piece of a large body was read, and is not needed any more. */
  read(bytes: number): void;
}

/**
 * V8 lets dead pieces pile up to 32 MiB, and the memory that malloc took for them stays taken. Young
 * objects are collected anyway, a few times a second where there is work.
 */
const collectEveryBytes = 8_388_608;

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
