/** The vendor's documented pace, in seconds. */
export interface PollPace {
  readonly firstSeconds: number;
  readonly maxSeconds: number;
}

export interface NextPoll {
  readonly pace: PollPace;
  /** Since the vendor accepted the task. */
  readonly elapsedMs: number;
  /** How long videos of this model usually take; undefined when not known yet. */
  readonly usualMs: number | undefined;
  /** Tasks now being polled at this vendor, and the requests per second it allows us. */
  readonly liveTasks: number;
  readonly requestsPerSecond: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * A poll is due after about a twelfth of the time a task has been running: late enough to be cheap,
 * early enough to be prompt.
 */
const shareOfElapsed = 1 / 12;
const jitter = 0.15;

/**
 * Milliseconds to wait before the next poll of a task. Grows with the time already spent, waits out
 * the usual duration of the model, and stretches when the vendor's request rate would be exceeded:
 * 100,000 tasks on 200 requests a second are polled every 500 s.
 */
export function nextPollDelayMs({
  pace,
  elapsedMs,
  usualMs,
  liveTasks,
  requestsPerSecond,
  random,
}: NextPoll): number {
  const first = pace.firstSeconds * 1000;
  const grown = Math.min(Math.max(first, elapsedMs * shareOfElapsed), pace.maxSeconds * 1000);
  const untilUsual =
    usualMs === undefined ? 0 : Math.min(usualMs * 0.8 - elapsedMs, pace.maxSeconds * 1000);
  const byRate = roundSeconds({ liveTasks, requestsPerSecond }) * 1000;
  const delay = Math.max(grown, untilUsual, byRate);
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}

/** How long it takes to poll every task once, one request for each. */
const roundSeconds = ({
  liveTasks,
  requestsPerSecond,
}: Pick<NextPoll, 'liveTasks' | 'requestsPerSecond'>): number => liveTasks / requestsPerSecond;

/**
 * Whether polls of one task at a time are too slow for the vendor's own pace, so that a vendor that
 * reports on many tasks at once should be asked so.
 */
export const needsBatchPolls = ({
  pace,
  ...crowd
}: Pick<NextPoll, 'pace' | 'liveTasks' | 'requestsPerSecond'>): boolean =>
  roundSeconds(crowd) > pace.maxSeconds;

/**
 * The longest that a poll is put off for so many tasks, when single polls are too slow; in
 * milliseconds.
 */
export const longestPollDelayMs = (
  crowd: Pick<NextPoll, 'liveTasks' | 'requestsPerSecond'>,
): number => Math.round(roundSeconds(crowd) * 1000 * (1 + jitter));
