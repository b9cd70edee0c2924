import { afterEach, describe, expect, it } from '@jest/globals';
import { createTaskMoves } from '@gateway/store';
import { anAccount, eventually, openReceiver, type Receiver } from '@gateway/testing';
import { taskFailure } from '@gateway/domain';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let receiver: Receiver | undefined;
afterEach(async () => {
  await stage.close();
  await receiver?.close();
  receiver = undefined;
});

/** A vendor that keeps tasks queued, where it still cancels them. */
const crowded = { vendor: { SANDBOX_QUEUE_MS: '600000' } };

async function withServices(
  options?: Parameters<typeof openStage>[0],
  api?: Record<string, string>,
): Promise<void> {
  stage = await openStage(options);
  await stage.startBilling();
  await stage.startApi(api);
}

const unbilled = { charged: 0, entries: ['hold 50', 'release 50'] };
const exposures = async (): Promise<unknown[]> =>
  await stage.sql('SELECT task_id, kind, vendor_task_id FROM exposure');

describe('cancelling a task that waits', () => {
  it('ends it at once: the response is the cancelled task, nothing is billed, the vendor never hears of it, and the push is the last one', async () => {
    await withServices();
    receiver = await openReceiver();
    const { id } = await stage.create('x', { callback_url: receiver.url });
    await stage.startDispatcher();

    const response = await stage.cancel(id);

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id,
      status: 'cancelled',
      error: { code: 'cancelled' },
      completed_at: expect.any(String),
      portal_billing: { billed_duration_seconds: 0, billed_quota: 0 },
    });
    await stage.startWorker({ SWEEP_MS: '100' });
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
    expect(await stage.eventsOf(id)).toEqual(['queued', 'cancelled']);
    await eventually(() => {
      expect(
        receiver!
          .pushes()
          .map(({ body }) => body.status)
          .at(-1),
      ).toBe('cancelled');
    });
    expect(receiver.pushes().filter(({ body }) => body.status === 'cancelled')).toHaveLength(1);
    expect(await stage.stats()).toMatchObject({ creates_received: 0 });
    expect((await stage.request('GET', `/v1/videos/${id}`)).body).toEqual(response.body);
  });

  it('twice, or many times at once, is one cancellation that everybody is told of', async () => {
    await withServices();
    const { id } = await stage.create('x');

    const responses = await Promise.all(Array.from({ length: 12 }, () => stage.cancel(id)));

    expect(responses.map(({ status, body }) => [status, body.status])).toEqual(
      responses.map(() => [200, 'cancelled']),
    );
    expect(await stage.eventsOf(id)).toEqual(['queued', 'cancelled']);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
  });

  it('removes the references that were stored for it', async () => {
    await withServices();
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { id } = await stage.create('x', {
      references: [{ type: 'image', url: `data:image/png;base64,${png}` }],
    });
    expect(await stage.files()).toHaveLength(1);

    await stage.cancel(id);

    await eventually(async () => {
      expect(await stage.files()).toEqual([]);
    });
  });
});

describe('cancelling a task that is at the vendor', () => {
  it('that is queued there cancels it there and here, without waiting for the next poll', async () => {
    await withServices(crowded);
    await stage.startWorker();
    // looked at once a minute
    const { id } = await stage.create('x', { model: 'sandbox-unhurried' });
    await stage.until(id, { status: 'running' });

    const response = await stage.cancel(id);

    expect([response.status, response.body.status]).toEqual([200, 'cancelled']);
    expect(await stage.vendorTask(id)).toMatchObject({ status: 'cancelled' });
    expect(await stage.eventsOf(id)).toEqual(['queued', 'running', 'cancelled']);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
    expect(await exposures()).toEqual([]);
  });

  it('that renders already is a 409, and the video is made, stored and charged once', async () => {
    await withServices();
    await stage.startWorker();
    const { id } = await stage.create('[slow=5] x');
    await stage.until(id, { status: 'running' });
    await eventually(async () => {
      expect(await stage.vendorTask(id)).toMatchObject({ status: 'running' });
    });

    const response = await stage.cancel(id);

    expect([response.status, response.body.error?.code]).toEqual([409, 'not_cancellable']);
    await stage.until(id, { status: 'succeeded' });
    await expect(stage.settled(id)).resolves.toEqual({
      charged: 50,
      entries: ['hold 50', 'charge 50'],
    });
    expect(await stage.eventsOf(id)).toEqual(['queued', 'running', 'succeeded']);
  });

  it('by many at once asks on behalf of all, and ends it once', async () => {
    await withServices(crowded);
    await stage.startWorker();
    const { id } = await stage.create('x');
    await stage.until(id, { status: 'running' });

    const responses = await Promise.all(Array.from({ length: 8 }, () => stage.cancel(id)));

    expect(responses.map(({ status, body }) => [status, body.status])).toEqual(
      responses.map(() => [200, 'cancelled']),
    );
    expect(await stage.stats()).toMatchObject({ deletes: 1 });
    expect(await stage.eventsOf(id)).toEqual(['queued', 'running', 'cancelled']);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
  });

  it('whose vendor does as it was asked and loses the response ends as cancelled all the same', async () => {
    await withServices(crowded);
    await stage.startWorker();
    const { id } = await stage.create('x');
    await stage.until(id, { status: 'running' });
    await stage.fault({ operation: 'delete', action: 'drop-after' });

    const response = await stage.cancel(id);

    expect([response.status, response.body.status]).toEqual([200, 'cancelled']);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
  });

  it('whose vendor says nothing in time is a 504 that leaves the wish standing: it is carried out when the vendor responds', async () => {
    await withServices(crowded, { OUTCOME_WAIT_MS: '300' });
    await stage.startWorker();
    const { id } = await stage.create('x');
    await stage.until(id, { status: 'running' });
    await stage.fault({ operation: 'delete', action: 'delay', delay_ms: 1_200 });

    const response = await stage.cancel(id);

    expect([
      response.status,
      response.body.error?.code,
      response.headers.get('retry-after'),
    ]).toEqual([504, 'upstream_timeout', '1']);
    await stage.until(id, { status: 'cancelled' });
    expect([(await stage.cancel(id)).status]).toEqual([200]);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
  });

  it('while its vendor’s cancelling is broken does not hold the video up', async () => {
    await withServices({ vendor: { SANDBOX_QUEUE_MS: '1500' } }, { OUTCOME_WAIT_MS: '300' });
    await stage.startWorker();
    const { id } = await stage.create('x');
    await stage.until(id, { status: 'running' });
    await stage.fault({ operation: 'delete', action: 'status', status: 500, times: 1_000 });

    expect((await stage.cancel(id)).status).toBe(504);

    await stage.until(id, { status: 'succeeded' });
    await expect(stage.settled(id)).resolves.toEqual({
      charged: 50,
      entries: ['hold 50', 'charge 50'],
    });
  });
});

describe('a cancellation at a vendor that takes one task at once', () => {
  const narrow = (prompt: string) => stage.create(prompt, { model: 'sandbox-narrow' });

  it('gives the slot to the next in the queue, and one in the queue leaves it', async () => {
    await withServices(crowded);
    await stage.startWorker();
    const first = await narrow('first');
    await stage.until(first.id, { status: 'running' });
    const [second, third] = [await narrow('second'), await narrow('third')];
    expect(await stage.counted('narrow')).toEqual({ active: 3, slots: 1 });

    expect((await stage.cancel(second.id)).body.status).toBe('cancelled');
    expect(await stage.counted('narrow')).toEqual({ active: 2, slots: 1 });
    expect((await stage.request('GET', `/v1/videos/${third.id}`)).body).toMatchObject({
      status: 'queued',
      queue_position: 1,
    });
    expect((await stage.cancel(first.id)).body.status).toBe('cancelled');

    await stage.until(third.id, { status: 'running' });
    expect(await stage.eventsOf(second.id)).toEqual(['queued', 'cancelled']);
    expect((await stage.cancel(third.id)).body.status).toBe('cancelled');
    expect(await stage.counted('narrow')).toEqual({ active: 0, slots: 0 });
  });

  it('of a task that has the slot and was put off by the vendor hands the slot on, although no worker sees it end', async () => {
    await withServices();
    await stage.startWorker();
    await stage.fault({
      operation: 'create',
      action: 'status',
      status: 429,
      retry_after_seconds: 600,
    });
    const first = await narrow('first');
    await stage.until(first.id, { step: 'submit', stepFailures: 1 });
    const second = await narrow('second');
    expect(await stage.counted('narrow')).toEqual({ active: 2, slots: 1 });

    expect((await stage.cancel(first.id)).body.status).toBe('cancelled');

    await stage.until(second.id, { status: 'succeeded' });
    expect(await stage.eventsOf(first.id)).toEqual(['queued', 'cancelled']);
    expect(await stage.counted('narrow')).toEqual({ active: 0, slots: 0 });
  });
});

describe('a cancellation that meets', () => {
  it('the submission: the vendor task that is made meanwhile is cancelled at the vendor and noted', async () => {
    await withServices(crowded);
    await stage.startWorker();
    const { id } = await stage.create('[late=1] x');
    await stage.until(id, { step: 'submitting' });

    const response = await stage.cancel(id);

    const vendorTask = await stage.vendorTask(id);
    expect([response.status, response.body.status, vendorTask.status]).toEqual([
      200,
      'cancelled',
      'cancelled',
    ]);
    expect(await exposures()).toEqual([
      { task_id: id, kind: 'orphan', vendor_task_id: vendorTask.id },
    ]);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
    expect(await stage.stats()).toMatchObject({ creates_received: 1 });
  });

  it('a submission whose response is lost: the vendor task is found, cancelled and noted', async () => {
    await withServices(crowded, { OUTCOME_WAIT_MS: '15000' });
    await stage.startWorker();
    const { id } = await stage.create('[late=1] [lose-answer] x');
    await stage.until(id, { step: 'submitting' });

    const response = await stage.cancel(id);

    expect([response.status, response.body.status, (await stage.vendorTask(id)).status]).toEqual([
      200,
      'cancelled',
      'cancelled',
    ]);
    expect(await exposures()).toHaveLength(1);
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
  });

  it('a submission that the vendor puts off: the task ends without another one', async () => {
    await withServices();
    await stage.startWorker();
    await stage.fault({ operation: 'create', action: 'delay', delay_ms: 500 });
    await stage.fault({ operation: 'create', action: 'status', status: 429, times: 1_000 });
    const other = await stage.create('first');
    const { id } = await stage.create('second');
    await stage.until(id, { step: 'submit', stepFailures: 1 });

    expect((await stage.cancel(id)).body.status).toBe('cancelled');

    await expect(stage.settled(id)).resolves.toEqual(unbilled);
    expect(await stage.eventsOf(id)).toEqual(['queued', 'cancelled']);
    expect(other.id).not.toBe(id);
  });

  it('success: the poll before the question shows a finished video, so it is a 409 and charged', async () => {
    await withServices({}, { OUTCOME_WAIT_MS: '15000' });
    await stage.startWorker();
    const { id } = await stage.create('[slow=5] x');
    await stage.until(id, { status: 'running' });
    await stage.fault({ operation: 'get', action: 'delay', delay_ms: 1_500, times: 2 });

    const response = await stage.cancel(id);

    expect([response.status, response.body.error?.code]).toEqual([409, 'not_cancellable']);
    await stage.until(id, { status: 'succeeded' });
    await expect(stage.settled(id)).resolves.toEqual({
      charged: 50,
      entries: ['hold 50', 'charge 50'],
    });
  });

  it('the storing of the video comes too late: 409 at once, stored and charged', async () => {
    await withServices();
    await stage.startWorker();
    await stage.fault({ operation: 'file', action: 'delay', delay_ms: 1_000 });
    const { id } = await stage.create('x');
    await stage.until(id, { step: 'ingest' });

    const response = await stage.cancel(id);

    expect([response.status, response.body.error?.code]).toEqual([409, 'not_cancellable']);
    await stage.until(id, { status: 'succeeded' });
    await expect(stage.settled(id)).resolves.toEqual({
      charged: 50,
      entries: ['hold 50', 'charge 50'],
    });
    expect(await stage.files()).toHaveLength(1);
  });

  it('its expiry at another worker: one of the two ends it, nothing is charged, and no status follows', async () => {
    await withServices(crowded);
    receiver = await openReceiver();
    await stage.startWorker();
    await stage.startDispatcher();
    const { id } = await stage.create('x', { callback_url: receiver.url });
    const running = await stage.until(id, { status: 'running' });
    await stage.fault({ operation: 'delete', action: 'delay', delay_ms: 700 });

    const cancelling = stage.cancel(id);
    await eventually(async () => {
      expect((await stage.stats()).faults_applied).toBe(1);
    });
    const expired = await createTaskMoves(stage.database).move(running, 'expired', {
      changes: { step: 'late', failure: taskFailure('expired'), billed: { seconds: 0, quota: 0 } },
    });
    const response = await cancelling;

    expect(expired).toBeDefined();
    expect([response.status, response.body.error?.code]).toEqual([409, 'not_cancellable']);
    expect(await stage.eventsOf(id)).toEqual(['queued', 'running', 'expired']);
    await stage.startBilling({ SWEEP_MS: '100' });
    await expect(stage.settled(id)).resolves.toEqual(unbilled);
    await eventually(() => {
      expect(receiver!.pushes().at(-1)?.body.status).toBe('expired');
    });
    await stage.until(id, { step: 'done' });
    expect(receiver.pushes().map(({ body }) => body.status)).not.toContain('cancelled');
  });

  it('its own deadline: every task ends once, unbilled, as what it was told', async () => {
    await withServices(crowded);
    await stage.startWorker();
    const tasks = await Promise.all(
      Array.from({ length: 10 }, () => stage.create('x', { model: 'sandbox-brief' })),
    );
    await Promise.all(tasks.map(({ id }) => stage.until(id, { status: 'running' })));
    const [first] = tasks;
    await eventually(
      () => {
        expect(Date.now()).toBeGreaterThan(Date.parse(first!.expires_at) - 60);
      },
      { everyMs: 5 },
    );

    const responses = await Promise.all(tasks.map(({ id }) => stage.cancel(id)));

    for (const [index, { id }] of tasks.entries()) {
      const { status } = responses[index]!;
      expect([200, 409]).toContain(status);
      expect(await stage.eventsOf(id)).toEqual([
        'queued',
        'running',
        status === 200 ? 'cancelled' : 'expired',
      ]);
      await expect(stage.settled(id)).resolves.toEqual(unbilled);
    }
  });
});

describe('cancelling is refused', () => {
  it('by name: another account’s task with the bytes of a missing one, a key without the scope, a task that has ended', async () => {
    await withServices();
    const { id } = await stage.create('x');
    const stranger = await stage.aKey(
      ['videos:write', 'videos:read'],
      (await anAccount(stage.database)).id,
    );
    const reader = await stage.aKey(['videos:read']);
    const ended = await stage.create('y');
    const failed = {
      changes: {
        step: 'done',
        failure: taskFailure('vendor_error'),
        billed: { seconds: 0, quota: 0 },
      },
    } as const;
    await createTaskMoves(stage.database).move(
      await stage.until(ended.id, { status: 'queued' }),
      'failed',
      failed,
    );

    for (const [method, suffix] of [
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const ask = (taskId: string, apiKey?: string) =>
        stage.request(
          method,
          `/v1/videos/${taskId}${suffix}`,
          apiKey === undefined ? {} : { apiKey },
        );
      const [foreign, missing, malformed, scopeless] = [
        await ask(id, stranger),
        await ask('video_01m7z1mc2yfzz8gkvph7wn2q17'),
        await ask('video_x'),
        await ask(id, reader),
      ];
      expect([foreign.status, foreign.text, malformed.text]).toEqual([
        404,
        missing.text,
        missing.text,
      ]);
      expect([foreign.body.error?.code, scopeless.status, scopeless.body.error?.code]).toEqual([
        'task_not_found',
        403,
        'scope_missing',
      ]);
    }
    expect((await stage.request('GET', `/v1/videos/${id}`)).body.status).toBe('queued');
    const response = await stage.cancel(ended.id);
    expect([response.status, response.body.error?.code]).toEqual([409, 'not_cancellable']);
  });
});
