/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CrashPointName } from '@gateway/runtime';
import {
  openCrashStage,
  pointsOf,
  succeeds,
  type CrashStage,
  type Ending,
  type PointOf,
} from './stage.ts';

interface Scenario {
  readonly prompt?: string;
  readonly body?: object;
  /** Faults of the vendor, before the worker starts. */
  readonly fault?: object;
  /** The worker must live when the task is made: its deadline is short. */
  readonly early?: true;
  readonly ends?: Ending;
}

const unknown: Ending = { status: 'failed', code: 'submission_unknown', sent: false };

/**
 * A task that dies before it is sent comes last: while it is sent, later, no other death may come
 * between its intent and the vendor.
 */
const scenarios: Readonly<
  Record<
    PointOf<'admit' | 'submit' | 'resolve' | 'poll' | 'ingest' | 'finish' | 'fail' | 'late'>,
    Scenario
  >
> = {
  'late.exposure-noted': {
    early: true,
    prompt: '[slow=4] x',
    body: { model: 'sandbox-brief' },
    ends: { status: 'expired', code: 'expired', sent: true },
  },
  'late.polled': {
    early: true,
    prompt: '[slow=4] x',
    body: { model: 'sandbox-brief' },
    ends: { status: 'expired', code: 'expired', sent: true },
  },
  'late.found': {
    early: true,
    prompt: '[lose-answer] x',
    body: { model: 'sandbox-brief' },
    fault: { operation: 'list', action: 'status', status: 500, times: 5 },
    ends: { status: 'expired', code: 'expired', sent: true },
  },
  'submit.intent-committed': { ends: unknown },
  'submit.vendor-responded': {},
  'submit.recorded': {},
  'resolve.listed': { prompt: '[lose-answer] x' },
  'resolve.exposure-noted': {
    fault: { operation: 'create', action: 'drop-before' },
    ends: unknown,
  },
  'poll.responded': {},
  'poll.output-recorded': {},
  'ingest.claimed': {},
  'ingest.video-stored': { body: { return_last_frame: true } },
  'ingest.copied': { body: { return_last_frame: true } },
  'ingest.put-off': { prompt: '[file-errors=2] x' },
  'ingest.polled': { prompt: '[file-errors=2] x' },
  'finish.committed': {},
  'finish.announced': {},
  'fail.committed': {
    prompt: '[fail] x',
    ends: { status: 'failed', code: 'vendor_error', sent: true },
  },
  'submit.put-off': { fault: { operation: 'create', action: 'status', status: 429 } },
  'submit.before-intent': {},
  'admit.given': {},
};

const points = pointsOf('admit', 'submit', 'resolve', 'poll', 'ingest', 'finish', 'fail', 'late');
const inOrder = Object.keys(scenarios) as (keyof typeof scenarios)[];
const tasks = new Map<CrashPointName, string>();

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage();
});
afterAll(async () => {
  await stage.close();
});

describe('a video-worker that is killed', () => {
  it.each(inOrder)('at %s dies there', async (point) => {
    const { prompt = 'x', body, fault, early }: Scenario = scenarios[point];
    // A short deadline does not wait for a process to start.
    if (early === true) await stage.gateway.suite.startService('video-worker');
    else await stage.gateway.suite.stopService('video-worker');
    if (fault !== undefined) await stage.fault(fault);
    const id = await stage.create(prompt, body);
    tasks.set(point, id);
    await stage.order(point, point === 'admit.given' ? undefined : id);
    stage.launch('video-worker');
    await stage.death(point);
    if (point === inOrder.at(-1)) await stage.revive(point);
  });

  it('has died at every point that it has', () => {
    expect([...tasks.keys()].sort()).toEqual([...points].sort());
  });

  it.each(inOrder)('at %s leaves a task that ends as it should', async (point) => {
    const { ends = succeeds }: Scenario = scenarios[point];
    await stage.endsAs(tasks.get(point)!, ends);
  });

  it('notes vendor work that nobody is billed for once', async () => {
    const noted = await stage.sql('SELECT task_id, kind FROM exposure ORDER BY kind, task_id');
    expect(noted).toHaveLength(5);
    expect(noted).toEqual(
      expect.arrayContaining([
        { task_id: tasks.get('late.exposure-noted'), kind: 'late_success' },
        { task_id: tasks.get('late.polled'), kind: 'late_success' },
        { task_id: tasks.get('late.found'), kind: 'late_success' },
        { task_id: tasks.get('submit.intent-committed'), kind: 'submission_unknown' },
        { task_id: tasks.get('resolve.exposure-noted'), kind: 'submission_unknown' },
      ]),
    );
  });

  it('leaves books that are right', async () => {
    await stage.booksAreRight(
      inOrder.filter((point) => scenarios[point].ends === undefined).length,
    );
  });
});
