/** @workers 3: it promises no times. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Configuration, NewTask, Task, VideoModel } from '@gateway/contracts';
import {
  createGoneModels,
  createTaskEndings,
  createTaskMoves,
  createTaskTries,
  createWork,
  type TaskTry,
} from '@gateway/store';
import { eventually, fixedConfiguration } from '@gateway/testing';
import {
  closedAddress,
  startScriptedVendor,
  type Reaction,
  type ScriptedVendor,
} from '../../contracts/scripted-vendor.ts';
import { arkError, arkScript } from '../../integration/video-providers/ark-script.ts';
import {
  configurationFor,
  openWorker,
  type WorkerUnderTest,
} from '../../component/video-worker/harness.ts';

/** Each story has a provider and a model of its own: what is learnt of a vendor is kept. */
const stories = [
  'away',
  'page',
  'account',
  'model',
  'retired',
  'busy',
  'in-time',
  'failing',
  'strict',
  'refusing',
  'silent',
  'lost',
  'cancelled',
  'queue',
  'alone',
] as const;
type Story = (typeof stories)[number];

let worker: WorkerUnderTest;
const vendors = new Map<Story, ScriptedVendor>();
let nowhere: string;
beforeAll(async () => {
  worker = await openWorker();
  nowhere = await closedAddress();
  for (const story of stories) vendors.set(story, await startScriptedVendor(arkScript.callOf));
  await worker.startWorker(
    { VENDOR_TIMEOUT_MS: 5_000, SUBMISSION_UNKNOWN_AFTER_MS: 1_500, VENDOR_BREAKER_FAILURES: 5 },
    fixedConfiguration(configuration()),
  );
});
afterAll(async () => {
  await worker.close();
  await Promise.all([...vendors.values()].map((vendor) => vendor.stop()));
});

const addressOf = (story: Story): string =>
  `${['away', 'alone'].includes(story) ? nowhere : vendors.get(story)!.url}/api/v3`;
/** What a model says that is not usual. */
const policies: Partial<Record<Story, Partial<VideoModel>>> = {
  busy: { busyAfterSeconds: 1 },
  'in-time': { busyAfterSeconds: 3_600 },
  failing: { retryFailed: true },
};

function configuration(): Configuration {
  const lines = stories.map(
    (story) =>
      `  ${story}: { kind: ark, base_url: "${addressOf(story)}", api_key: "\${KEY}", max_concurrent: 20, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }\n`,
  );
  const usual = configurationFor(worker.sandbox, lines.join(''));
  const model = usual.models.get('sandbox-video')!;
  const [route] = model.routes;
  const own = (story: Story) => ({
    ...route!,
    name: `${story}/sandbox-video`,
    provider: story,
    fallback: false,
  });
  return {
    ...usual,
    models: new Map(
      stories.map((story) => [
        story,
        {
          ...model,
          name: story,
          ...policies[story],
          routes: story === 'alone' ? [own(story)] : [own(story), { ...route!, fallback: true }],
        },
      ]),
    ),
  };
}

const at = (story: Story): Partial<NewTask> => ({
  model: story,
  vendor: {
    provider: story,
    kind: 'ark',
    baseUrl: addressOf(story),
    credentialId: 'test',
    upstreamModel: 'sandbox-video',
    taskId: null,
  },
});

const triesOf = ({ id }: Pick<Task, 'id'>): Promise<TaskTry[]> =>
  createTaskTries(worker.database).ofTask(id);
const aTask = async (story: Story, ...creations: Reaction[]): Promise<Task> => {
  const [first, ...more] = creations;
  if (first !== undefined) vendors.get(story)!.on('create', first, ...more);
  const task = await worker.aTask('a red balloon', at(story));
  await worker.producer.wake('video.advance', task.id, { requestId: 'test' });
  return task;
};
const messages = (text: string) => worker.log.lines.filter(({ message }) => message === text);
const second = { provider: 'sandbox', outcome: 'succeeded', leftBecause: null };
const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>no</html>' };

let before: number;
const created = async (): Promise<number> => (await worker.vendorStats()).creates_accepted - before;
beforeEach(async () => {
  before = (await worker.vendorStats()).creates_accepted;
});

describe('a task whose first vendor is certain to make nothing', () => {
  it.each<[Story, Reaction[], Partial<TaskTry>]>([
    ['away', [], { outcome: 'not_sent', leftBecause: 'not_sent' }],
    ['page', [page], { outcome: 'unavailable', leftBecause: 'refused' }],
    [
      'account',
      [arkScript.create.accountUnusable],
      { outcome: 'unavailable', leftBecause: 'refused' },
    ],
    [
      'model',
      [arkError(404, 'InvalidEndpointOrModel.NotFound')],
      { outcome: 'unavailable', leftBecause: 'refused' },
    ],
    [
      'busy',
      [arkError(429, 'RateLimitExceeded.EndpointRPMExceeded')],
      { outcome: 'busy', leftBecause: 'busy' },
    ],
  ])('is made by the other: %s', async (story, creations, first) => {
    const task = await aTask(story, ...creations);

    const done = await worker.until(task.id, 'succeeded');

    expect(done).toMatchObject({ price: task.price, vendor: { provider: 'sandbox' } });
    expect(done.billed!.quota).toBeLessThanOrEqual(task.price.maxQuota);
    expect(await triesOf(task)).toMatchObject([{ provider: story, ...first }, second]);
    expect(await created()).toBe(1);
  });

  it('goes to the other at once once the vendor has said that it has no such model', async () => {
    const said = vendors.get('model')!.count('create');
    expect(said).toBe(1);
    const task = await aTask('model');

    await worker.until(task.id, 'succeeded');

    expect(await triesOf(task)).toMatchObject([
      { provider: 'model', submissions: 0, leftBecause: 'model_gone' },
      second,
    ]);
    expect(vendors.get('model')!.count('create')).toBe(1);
    expect(messages('a vendor says that it has no such model, its route is left out')).toHaveLength(
      1,
    );
  });

  it('is known to every replica, and one task finds out whether the model is back', async () => {
    const vendor = vendors.get('retired')!;
    const told = await aTask('retired', arkError(404, 'InvalidEndpointOrModel.NotFound'));
    await worker.until(told.id, 'succeeded');
    const models = createGoneModels(worker.database);
    const change =
      'gateway_task_route_changes_total{provider="retired",because="refused",model="retired",to="sandbox"';
    await eventually(async () => {
      expect((await worker.metrics()).includes(change)).toBe(true);
    });
    await eventually(async () => {
      expect((await models.all()).map(({ provider }) => provider)).toContain('retired');
    });
    await worker.startWorker({ VENDOR_TIMEOUT_MS: 5_000 }, fixedConfiguration(configuration()));
    const rest = await Promise.all(Array.from({ length: 10 }, () => aTask('retired')));
    for (const { id } of rest) await worker.until(id, 'succeeded');
    expect(vendor.count('create')).toBe(1);
    const gauge = 'gateway_route_model_gone{provider="retired",upstream_model="sandbox-video"';
    await eventually(async () => {
      expect((await worker.metrics()).includes(gauge)).toBe(true);
    });

    await worker.database.pool.query(
      `UPDATE gone_model SET paused_until = now() - interval '1 second' WHERE provider = 'retired'`,
    );
    vendor.on('create', arkScript.create.accepted('cgt-9'));
    vendor.on('poll', arkScript.task.running('cgt-9'));
    // The replicas read of it within a second; until then tasks go to the other route.
    const trial = await eventually(
      async () => {
        const task = await aTask('retired');
        await eventually(async () => {
          expect((await worker.find(task.id)).status).not.toBe('queued');
        });
        expect((await worker.find(task.id)).vendor.provider).toBe('retired');
        return task;
      },
      { withinMs: 20_000 },
    );

    expect(vendor.count('create')).toBe(2);
    await eventually(async () => {
      expect((await models.all()).map(({ provider }) => provider)).not.toContain('retired');
      expect((await worker.metrics()).includes(gauge)).toBe(false);
    });
    expect(messages('a vendor has the model again, its route is used')).toHaveLength(1);
    await createTaskEndings(worker.database).requestCancel(trial.id, trial.accountId);
  });

  it('is made by the other when the vendor fails to render it, and the model says so', async () => {
    vendors.get('failing')!.on('poll', arkScript.task.failed('cgt-1'));
    const task = await aTask('failing', arkScript.create.accepted('cgt-1'));

    const done = await worker.until(task.id, 'succeeded');

    expect(await triesOf(task)).toMatchObject([
      { provider: 'failing', outcome: 'failed', vendorTaskId: 'cgt-1', leftBecause: 'failed' },
      second,
    ]);
    // Its customer sees one task that began and was finished.
    expect(done.eventSequence).toBe(3);
  });
});

describe('a task stays where it is', () => {
  it('while the vendor is busy for less time than the model waits', async () => {
    const task = await aTask(
      'in-time',
      arkError(429, 'RateLimitExceeded.EndpointRPMExceeded'),
      arkScript.create.accepted('cgt-2'),
    );
    vendors.get('in-time')!.on('poll', arkScript.task.running('cgt-2'));

    await worker.until(task.id, 'running');

    expect(await triesOf(task)).toMatchObject([
      { provider: 'in-time', submissions: 2, outcome: 'accepted' },
    ]);
    await createTaskEndings(worker.database).requestCancel(task.id, task.accountId);
  });

  it.each<[Story, Reaction, object]>([
    ['refusing', arkScript.create.refused('bad ratio'), { code: 'invalid_request' }],
    ['refusing', arkScript.create.moderated, { code: 'content_policy' }],
  ])('when the vendor refuses what its customer wrote: %s', async (story, creation, failure) => {
    const task = await aTask(story, creation);

    expect(await worker.until(task.id, 'failed')).toMatchObject({ failure });
    expect(await triesOf(task)).toMatchObject([{ provider: story, outcome: 'refused' }]);
    expect(await created()).toBe(0);
  });

  it.each<[Story, Reaction]>([
    ['silent', 'silence'],
    ['lost', 'drop'],
  ])('when nobody knows what the vendor made of it: %s', async (story, creation) => {
    vendors.get(story)!.on('list', arkScript.list([]));
    const task = await aTask(story, creation);

    expect(await worker.until(task.id, 'failed')).toMatchObject({
      failure: { code: 'submission_unknown' },
    });
    expect(await triesOf(task)).toMatchObject([{ provider: story, outcome: 'unknown' }]);
    expect(await created()).toBe(0);
  });

  it('when the vendor fails to render it, and the model does not say that it may leave', async () => {
    vendors.get('strict')!.on('poll', arkScript.task.failed('cgt-3'));
    const task = await aTask('strict', arkScript.create.accepted('cgt-3'));

    await worker.until(task.id, 'failed');

    expect(await triesOf(task)).toMatchObject([{ provider: 'strict', outcome: 'failed' }]);
    expect(await created()).toBe(0);
  });

  it('once its customer wants it cancelled', async () => {
    vendors.get('cancelled')!.on('create', page);
    const task = await worker.aTask('a red balloon', at('cancelled'));
    const moves = createTaskMoves(worker.database);
    await moves.admit('cancelled', { maxConcurrent: 1, most: 1 });
    await moves.claimSubmission(await worker.find(task.id));
    await createTaskEndings(worker.database).requestCancel(task.id, task.accountId);
    await moves.putOff(await worker.find(task.id), {
      stepFailures: 1,
      outcome: 'busy',
      detail: '429',
      keepsSlot: true,
    });
    await worker.producer.wake('video.advance', task.id, { requestId: 'test' });

    await worker.until(task.id, 'cancelled');

    expect(await triesOf(task)).toHaveLength(1);
    expect(await created()).toBe(0);
  });

  it('when it has no other route, and waits in the queue', async () => {
    const tasks = await Promise.all(Array.from({ length: 8 }, () => aTask('alone')));

    await eventually(
      async () => {
        expect(await createWork(worker.database).waitingTasks('alone', { limit: 50 })).toHaveLength(
          tasks.length,
        );
      },
      { withinMs: 20_000 },
    );

    expect(await created()).toBe(0);
  });
});

describe('a queue whose vendor serves nobody', () => {
  it('goes to the other route, and costs the vendor a few submissions', async () => {
    const vendor = vendors.get('queue')!;
    vendor.on('create', page);
    vendor.on('list', page);
    const tasks = await Promise.all(
      Array.from({ length: 60 }, () => worker.aTask('a red balloon', at('queue'))),
    );

    await eventually(
      async () => {
        const { rows } = await worker.database.pool.query<{ n: string }>(
          `SELECT count(*) AS n FROM task WHERE model = 'queue' AND status = 'succeeded'`,
        );
        expect(Number(rows[0]!.n)).toBe(tasks.length);
      },
      { withinMs: 90_000, everyMs: 200 },
    );

    expect(await created()).toBe(tasks.length);
    const tries = await Promise.all(tasks.map(triesOf));
    expect(
      tries.every(([first, last]) => first!.leftBecause && last!.outcome === 'succeeded'),
    ).toBe(true);
    // Twenty have a slot before the breaker opens; nothing is submitted after that but a probe.
    expect(vendor.count('create')).toBeLessThanOrEqual(20);
    const unsent = tries.filter(([first]) => first!.submissions === 0);
    expect(unsent.length).toBeGreaterThanOrEqual(tasks.length - 20);
    expect(unsent.every(([first]) => first!.leftBecause === 'breaker_open')).toBe(true);
  });
});
