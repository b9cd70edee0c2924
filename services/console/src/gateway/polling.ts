import { isRefused } from './client.ts';

/** Nothing is asked for over and over that is refused. */
export const unlessRefused = (error: unknown, everyMs: number | false): number | false =>
  isRefused(error) ? false : everyMs;
