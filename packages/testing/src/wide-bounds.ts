/** Of what may wait for one account, for tests that are about something else. */
export const wideBounds = { mostWaiting: 100_000, mostWaitingInAll: 100_000, waitMs: 60_000 };
