import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** V8's own collector of young objects, which Node hides unless it is asked for. */
export function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  return () => {
    collect({ type: 'minor' });
  };
}
