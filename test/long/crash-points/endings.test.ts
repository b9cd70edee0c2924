/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crashPoints, type CrashPointName } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import {
  cancelled,
  openCrashStage,
  pointsOf,
  type CrashStage,
  type Ending,
  type PointOf,
} from './stage.ts';

interface Scenario {
  readonly prompt?: string;
  readonly model?: string;
  /** Where the task stands when it is cancelled; left out when nobody cancels it. */
  readonly cancelledAt?: 'submit' | 'submitting' | 'poll';
  readonly ends: Ending;
}

const expired: Ending = { status: 'expired', code: 'expired', sent: true };
const unsent: Ending = { ...cancelled, sent: false };

/** Those whose task must not reach the worker come first: until then it is down. */
const scenarios: Readonly<Record<PointOf<'cancel' | 'expire'>, Scenario>> = {
  'cancel.asked': { cancelledAt: 'submit', ends: unsent },
  'cancel.ended': { cancelledAt: 'submit', ends: unsent },
  'cancel.requested': { cancelledAt: 'poll', ends: cancelled },
  'cancel.due': { cancelledAt: 'poll', ends: cancelled },
  'cancel.vendor-responded': { cancelledAt: 'poll', ends: cancelled },
  'cancel.orphan-noted': { cancelledAt: 'submitting', prompt: '[late=2] x', ends: cancelled },
  'cancel.committed': { cancelledAt: 'poll', ends: cancelled },
  'expire.due': { model: 'sandbox-soon', ends: expired },
  'expire.polled': { model: 'sandbox-soon', ends: expired },
  'expire.committed': { model: 'sandbox-soon', ends: expired },
  'expire.vendor-asked': { model: 'sandbox-soon', ends: expired },
};

const inOrder = Object.keys(scenarios) as (keyof typeof scenarios)[];
const tasks = new Map<CrashPointName, string>();
/** A vendor that keeps tasks queued, where it still cancels them. */
const crowded = { 'sandbox-vendor': { SANDBOX_QUEUE_MS: '600000' } };

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage({ env: crowded, deadlines: { 'sandbox-soon': 12 } });
  await stage.gateway.suite.stopService('video-worker');
});
afterAll(async () => {
  await stage.close();
});

const standsAt = (id: string, step: string): Promise<void> =>
  eventually(
    async () => {
      expect(await stage.sql('SELECT step FROM task WHERE id = $1', id)).toEqual([{ step }]);
    },
    { withinMs: 30_000 },
  );

describe('a service that is killed while a task ends early', () => {
  it.each(inOrder)('at %s dies there', async (point) => {
    const { prompt = 'x', model = 'sandbox-video', cancelledAt }: Scenario = scenarios[point];
    const { service } = crashPoints[point];
    if (cancelledAt !== 'submit') await stage.gateway.suite.startService('video-worker');
    const id = await stage.create(prompt, { model });
    tasks.set(point, id);
    await standsAt(id, cancelledAt ?? 'poll');
    await stage.order(point, id);
    const cancelling =
      cancelledAt === undefined ? undefined : stage.send('POST', `/v1/videos/${id}/cancel`);
    await stage.death(point);
    await stage.revive(point);
    await cancelling;
    // Whoever got no response asks again: that is safe at every moment.
    if (service === 'api') await stage.send('POST', `/v1/videos/${id}/cancel`);
  });

  it('has died at every point that there is', () => {
    expect([...tasks.keys()].sort()).toEqual(pointsOf('cancel', 'expire').sort());
  });

  it.each(inOrder)('at %s leaves a task that ends as it should', async (point) => {
    await stage.endsAs(tasks.get(point)!, scenarios[point].ends);
  });

  it('notes what the vendor did for a task that was cancelled before, once', async () => {
    expect(await stage.sql('SELECT task_id, kind FROM exposure')).toEqual([
      { task_id: tasks.get('cancel.orphan-noted'), kind: 'orphan' },
    ]);
  });

  it('leaves books that are right', async () => {
    await stage.booksAreRight(0);
  });
});
