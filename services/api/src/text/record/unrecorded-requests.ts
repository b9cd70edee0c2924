/** How many requests are under way, until their usage is recorded. */
export interface UnrecordedRequests {
  begin(): void;
  recorded(): void;
  /** Resolves when all are recorded; to their number when some are not after `withinMs`. */
  wait(withinMs: number): Promise<number>;
}

/**
 * A request is recorded a moment after its client's connection has closed: a stop that only waits for
 * connections would close the recorder before the last usage comes.
 */
export function createUnrecordedRequests(): UnrecordedRequests {
  let count = 0;
  let onNone: (() => void) | undefined;
  return {
    begin() {
      count += 1;
    },
    recorded() {
      count -= 1;
      if (count === 0) onNone?.();
    },
    async wait(withinMs) {
      if (count === 0) return 0;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
        onNone = resolve;
      });
      clearTimeout(timer);
      onNone = undefined;
      return count;
    },
  };
}
