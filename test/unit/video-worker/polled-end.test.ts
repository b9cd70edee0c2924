import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import type { RouteNews } from '@gateway/domain';
import {
  recordPolledEnd,
  type VendorEnd,
} from '../../../services/video-worker/src/use-cases/poll-task.ts';
import type { Moves } from '../../../services/video-worker/src/use-cases/ports.ts';

/** What the decision about leaving the route is told of a failed end. */
async function newsOf(end: VendorEnd): Promise<RouteNews | undefined> {
  const told: RouteNews[] = [];
  await recordPolledEnd({} as Task, end, {
    moves: {} as Moves,
    leaveRoute: (_task, { news }) => {
      told.push(news);
      return Promise.resolve(true);
    },
  });
  return told[0];
}

describe('a failure that the vendor reports', () => {
  const failed = { kind: 'failed', failure: 'vendor_error', detail: '' } as const;
  const costing = (amount: string) => ({ usage: { cost: { amount, currency: 'USD' } } });

  it.each<[string, VendorEnd, boolean]>([
    ['without a word of a charge', failed, false],
    ['at no cost', { ...failed, ...costing('0.00') }, false],
    ['at a cost', { ...failed, ...costing('0.4') }, true],
    ['with tokens that it counts', { ...failed, usage: { totalTokens: 70 } }, true],
    ['after it was made, without a file', { ...failed, failure: 'no_output' }, true],
  ])('is charged or not: %s', async (_what, end, isCharged) => {
    expect(await newsOf(end)).toMatchObject({ kind: 'failed', isCharged });
  });
});
