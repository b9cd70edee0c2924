import { channel } from 'node:diagnostics_channel';
import type { CrashPointName } from './crash-points.ts';

/** What travels on the channel; `subject` is the id of the task or batch, where one is known. */
export interface ReachedPoint {
  readonly point: CrashPointName;
  readonly subject: string | undefined;
}

export const crashPointChannel = 'gateway:crash-point';

const reports = channel(crashPointChannel);

/**
 * Says that a point is reached. Nobody listens but the tests, and nothing that can be set makes
 * anybody: then this is one comparison.
 */
export function reached(point: CrashPointName, subject?: string): void {
  if (reports.hasSubscribers) reports.publish({ point, subject } satisfies ReachedPoint);
}
