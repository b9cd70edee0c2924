/**
 * An event gets its position when it is written, and is seen when that is committed: later ones may
 * be seen before. A statement that takes longer than this is given up by whoever waits for it.
 */
const lateMs = 15_000;

/** The position of the newest event at some moment. */
export interface EventMark {
  readonly at: number;
  readonly newest: number;
}

/** What is known of the events so far: to begin with, nothing. */
export interface SettledEvents {
  /** Up to this position nothing can appear any more; 0 as long as that is not known. */
  readonly upTo: number;
  readonly marks: readonly EventMark[];
}

export const nothingSettled: SettledEvents = { upTo: 0, marks: [] };

/** What is known with one more mark, the latest. */
export function settledWith({ marks }: SettledEvents, mark: EventMark): SettledEvents {
  const all = [...marks, mark];
  const last = all.findLastIndex(({ at }) => at <= mark.at - lateMs);
  return last === -1
    ? { upTo: 0, marks: all }
    : { upTo: all[last]?.newest ?? 0, marks: all.slice(last) };
}
