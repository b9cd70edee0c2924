/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CrashPointName } from '@gateway/runtime';
import { startScriptedVendor, type ScriptedVendor } from '../../contracts/scripted-vendor.ts';
import { arkScript } from '../../integration/video-providers/ark-script.ts';
import {
  openCrashStage,
  pointsOf,
  succeeds,
  type CrashStage,
  type Ending,
  type PointOf,
} from './stage.ts';

/** One for each story: what is learnt of a vendor is kept. The second vendor is always the sandbox. */
const firsts = [
  'refusing',
  'refusing-too',
  'failing',
  'failing-too',
  'gone',
  'gone-too',
  'queue',
  'queue-too',
] as const;
type First = (typeof firsts)[number];

interface Story {
  readonly first: First;
  readonly point: PointOf<'leave'>;
  readonly ends?: Ending;
  /** What came of the tries; the last one is the second vendor's. */
  readonly tries: readonly object[];
}

const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>no</html>' };
const refused = { outcome: 'unavailable', left_because: 'refused', submissions: 1 };
const failed = { outcome: 'failed', left_because: 'failed', submissions: 1 };
const gone = { outcome: 'not_sent', left_because: 'model_gone', submissions: 0 };
const second = { outcome: 'succeeded', left_because: null, submissions: 1 };
/** Nobody knows any more what its vendor said, so it is sent to no other. */
const unsure: Ending = { status: 'failed', code: 'submission_unknown', sent: false };
const unknown = { outcome: 'unknown', left_because: null, submissions: 1 };

const stories: Readonly<Record<string, Story>> = {
  'before a refused task has left': {
    first: 'refusing',
    point: 'leave.decided',
    ends: unsure,
    tries: [unknown],
  },
  'after a refused task has left': {
    first: 'refusing-too',
    point: 'leave.committed',
    tries: [refused, second],
  },
  'before a task that its vendor failed to render has left': {
    first: 'failing',
    point: 'leave.decided',
    tries: [failed, second],
  },
  'after a task that its vendor failed to render has left': {
    first: 'failing-too',
    point: 'leave.committed',
    tries: [failed, second],
  },
  'before an unsent task has left': {
    first: 'gone',
    point: 'leave.decided',
    tries: [gone, second],
  },
  'after an unsent task has left': {
    first: 'gone-too',
    point: 'leave.committed',
    tries: [gone, second],
  },
};

const queued = 8;
const vendors = new Map<First, ScriptedVendor>();
const died = new Set<CrashPointName>();
let succeeded = 0;

let stage: CrashStage;
beforeAll(async () => {
  for (const name of firsts) vendors.set(name, await startScriptedVendor(arkScript.callOf));
  for (const name of ['refusing', 'refusing-too'] as const) {
    vendors.get(name)!.on('create', page);
    vendors.get(name)!.on('list', arkScript.list([]));
  }
  for (const name of ['failing', 'failing-too'] as const) {
    vendors.get(name)!.on('create', arkScript.create.accepted(`cgt-${name}`));
    vendors.get(name)!.on('poll', arkScript.task.failed(`cgt-${name}`));
  }
  for (const name of ['queue', 'queue-too'] as const) {
    vendors.get(name)!.on('create', page);
    vendors.get(name)!.on('list', page);
  }
  stage = await openCrashStage({
    moreProviders: firsts.map(providerOf).join(''),
    moreModels: firsts.map(modelOf).join(''),
    env: {
      'video-worker': {
        VENDOR_BREAKER_FAILURES: '1',
        // No breaker is tried again before its test is over: a task of the queue that is on trial when
        // its worker dies fails, for nobody knows any more what became of it.
        VENDOR_BREAKER_PAUSE_MS: '600000',
        VENDOR_BREAKER_LONGEST_PAUSE_MS: '600000',
      },
    },
  });
});
afterAll(async () => {
  await stage.close();
  await Promise.all([...vendors.values()].map((vendor) => vendor.stop()));
});

const providerOf = (name: First): string =>
  `  ${name}: { kind: ark, base_url: "${vendors.get(name)!.url}/api/v3", api_key: "\${SANDBOX_API_KEY}", max_concurrent: ${name.startsWith('queue') ? 1 : 20}, requests_per_second: 1000, poll_seconds: { first: 0.1, max: 0.5 } }\n`;
const modelOf = (name: First): string => `  ${name}:
    kind: video
    routes:
      - { provider: ${name}, upstream_model: sandbox-video }
      - { provider: sandbox, upstream_model: sandbox-video, fallback: true }
    retry_failed: true
    second_quota: { 480p: 60 }
    duration: { min: 4, max: 15, default: 5 }
    ratio: { allowed: ['16:9'], default: '16:9' }
    resolution: { allowed: [480p], default: 480p }
`;

const triesOf = (taskId: string) =>
  stage.sql(
    'SELECT outcome, left_because, submissions FROM task_try WHERE task_id = $1 ORDER BY number',
    taskId,
  );
/** Of these tasks those that were being sent when their worker died. */
async function sendingAmong(ids: readonly string[]): Promise<readonly unknown[]> {
  const rows = await stage.sql(
    `SELECT id FROM task WHERE id = ANY($1) AND step = 'submitting'`,
    ids,
  );
  return rows.map(({ id }) => id);
}
/** What its video-worker was told by a task before. */
const modelIsGone = (provider: First) =>
  stage.sql(
    `INSERT INTO gone_model (provider, upstream_model, detail, paused_until) VALUES ($1, 'sandbox-video', '404', now() + interval '1 hour')`,
    provider,
  );

describe('a video-worker that is killed', () => {
  it.each(Object.entries(stories))(
    '%s leaves nothing lost and nothing made twice',
    async (_what, { first, point, ends = succeeds, tries }) => {
      await stage.gateway.suite.stopService('video-worker');
      const id = await stage.create('x', { model: first });
      if (tries[0] === gone) await modelIsGone(first);
      await stage.order(point, id);
      stage.launch('video-worker');
      await stage.death(point);
      died.add(point);
      await stage.revive(point);

      await stage.endsAs(id, ends);

      expect(await triesOf(id)).toEqual(tries);
      if (ends.status === 'succeeded') succeeded += 1;
    },
    200_000,
  );

  it.each([
    ['leave.page-decided', 'queue', 1],
    // The first is the task that was refused, and leaves by itself.
    ['leave.committed', 'queue-too', 3],
  ] as const)(
    'at %s in the middle of a queue leaves a queue that goes to the other vendor',
    async (point, model, arrival) => {
      await stage.gateway.suite.stopService('video-worker');
      const ids = await Promise.all(
        Array.from({ length: queued }, () => stage.create('x', { model })),
      );
      await stage.order(point, 'any', arrival);
      stage.launch('video-worker');
      await stage.death(point);
      died.add(point);
      // The first to be sent may not have left yet when the others do.
      const sending = await sendingAmong(ids);
      expect(sending.length).toBeLessThanOrEqual(1);
      if (sending.length > 0) vendors.get(model)!.on('list', arkScript.list([]));
      await stage.revive(point);

      for (const id of ids) {
        const [ends, last] = sending.includes(id) ? [unsure, unknown] : [succeeds, second];
        await stage.endsAs(id, ends);
        expect((await triesOf(id)).at(-1)).toEqual(last);
      }
      succeeded += ids.length - sending.length;
    },
    200_000,
  );

  it('has died at every point that it has', () => {
    expect([...died].sort()).toEqual(pointsOf('leave').sort());
  });

  it('leaves books that are right', async () => {
    await stage.booksAreRight(succeeded);
  });
});
