import type { Log, Part } from '@gateway/runtime';
import type { Router } from 'express';
import type { Activity } from '../control/activity.ts';
import type { Faults } from '../control/faults.ts';
import { createTextJournal, type TextJournal } from './journal.ts';
import { createPrefixCache } from './model/prefix-cache.ts';
import { createRateLimits } from './rate-limits.ts';
import { textRoutes } from './routes.ts';

export interface TextLaneOptions {
  readonly apiKey: string;
  /** 0: as fast as possible. */
  readonly tokensPerSecond: number;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly log: Log;
  readonly now: () => number;
}

/** Prompts whose beginnings are known at once. */
const maxCachedPrefixes = 20_000;

/**
 * The text side of the vendor: its routes, what it remembers, and a part that ends open streams at
 * a stop.
 */
export function createTextLane(options: TextLaneOptions): {
  readonly router: Router;
  readonly journal: TextJournal;
  readonly part: Part;
} {
  const { now } = options;
  const journal = createTextJournal();
  const router = textRoutes({
    ...options,
    journal,
    cache: createPrefixCache({ maxEntries: maxCachedPrefixes, now }),
    rateLimits: createRateLimits({ now }),
  });
  const part: Part = {
    name: 'text streams',
    stop() {
      journal.abandon(); // a stalled stream would hold up the stop of the server
      return Promise.resolve();
    },
  };
  return { router, journal, part };
}
