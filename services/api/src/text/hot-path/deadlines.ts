import { createOpenItems, runAs, type Placed } from '@gateway/runtime';

/** Something that has to be over by a time, which may be moved while it is watched. */
export interface Timed extends Placed {
  /** Milliseconds of the monotonic clock. */
  dueMs: number;
  /** Called once when that time has come, or a little later; it is no longer watched then. */
  expire(): void;
}

export interface Deadlines {
  watch(item: Timed): void;
  /** Releasing one that is not watched does nothing. */
  release(item: Timed): void;
}

/**
 * The deadlines of thousands of requests a second, all checked by one timer, which runs while there
 * are any: an item expires up to `everyMs` late. A timer for each of them costs a short completion
 * 2 µs and its garbage.
 */
export function createDeadlines({
  nowMs = () => performance.now(),
  everyMs = 100,
}: { nowMs?: () => number; everyMs?: number } = {}): Deadlines {
  const watched = createOpenItems<Timed>();
  let timer: NodeJS.Timeout | undefined;
  const checkAll = (): void => {
    if (watched.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = nowMs();
    for (const item of watched.all()) {
      if (item.dueMs > now || !watched.has(item)) continue;
      watched.remove(item);
      runAs(undefined, () => {
        item.expire();
      });
    }
  };
  return {
    watch(item) {
      watched.add(item);
      timer ??= setInterval(checkAll, everyMs).unref();
    },
    release: watched.remove,
  };
}
