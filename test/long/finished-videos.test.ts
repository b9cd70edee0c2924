/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  await worker.startWorker();
});
afterAll(async () => {
  await worker.close();
});

const exposuresOf = async (taskId: string): Promise<unknown[]> =>
  (
    await worker.database.pool.query(
      'SELECT kind, vendor_task_id, detail FROM exposure WHERE task_id = $1',
      [taskId],
    )
  ).rows;

const slotsTaken = async (): Promise<unknown> =>
  (
    await worker.database.pool.query<{ taken: number }>(
      `SELECT places_taken AS taken FROM vendor_line WHERE provider = 'sandbox'`,
    )
  ).rows[0]?.taken;

describe('a finished video whose file server', () => {
  it.each([
    ['sends pages in its place', { action: 'garbage', times: 3 }],
    ['refuses it', { action: 'status', status: 403, times: 2 }],
  ])('%s for a while: is fetched when it can be had', async (_what, fault) => {
    const task = await worker.aTask('x');
    await worker.fault({ operation: 'file', ...fault });
    await worker.producer.wake('video.advance', task.id);

    await worker.until(task.id, 'succeeded');

    expect(await exposuresOf(task.id)).toEqual([]);
    expect((await worker.vendorStats()).creates_accepted).toBeGreaterThan(0);
  });

  it.each([
    ['has nothing but a page', '[not-mp4] x', 'output_rejected'],
    ['is away', '[file-errors=1000] x', 'output_unavailable'],
  ])(
    '%s until the deadline: ends as expired, with the vendor’s work as exposure',
    async (_what, prompt, code) => {
      const task = await worker.aTask(prompt, { expiresAfterSeconds: 4 });
      await worker.producer.wake('video.advance', task.id);

      const ended = await worker.until(task.id, 'expired');

      expect(ended).toMatchObject({
        step: 'done',
        failure: { code },
        billed: { seconds: 0, quota: 0 },
      });
      expect(Date.now()).toBeGreaterThanOrEqual(task.expiresAt.getTime());
      expect(await exposuresOf(task.id)).toEqual([
        {
          kind: 'output_lost',
          vendor_task_id: ended.vendor.taskId,
          detail: expect.stringMatching(
            /^the vendor had finished, and its video was not copied, 5 s, \d+ tokens$/,
          ),
        },
      ]);
    },
  );

  it('holds no slot at the vendor while it is tried again', async () => {
    const task = await worker.aTask('[file-errors=1000] x', { expiresAfterSeconds: 5 });
    await worker.producer.wake('video.advance', task.id);

    await eventually(async () => {
      expect((await worker.find(task.id)).stepFailures).toBeGreaterThan(0);
    });
    expect(await slotsTaken()).toBe(0);

    await worker.until(task.id, 'expired');
  });
});

describe('a deadline', () => {
  it('is not the end of a video that the vendor has finished, although no poll has said so', async () => {
    const task = await worker.aTask('[slow=1] x', {
      expiresAfterSeconds: 4,
      vendor: {
        provider: 'patient',
        kind: 'ark',
        baseUrl: `${worker.sandbox.url}/api/v3`,
        credentialId: 'test',
        upstreamModel: 'sandbox-video',
        taskId: null,
      },
    });
    await worker.producer.wake('video.advance', task.id);

    const done = await worker.until(task.id, 'succeeded');

    expect(done.completedAt!.getTime()).toBeGreaterThanOrEqual(task.expiresAt.getTime());
    expect(done.billed).toEqual({ seconds: 5, quota: 50 });
  });

  it('holds for a vendor that says nothing, and keeps its slot until it is known to be over there', async () => {
    const task = await worker.aTask('[slow=9] x', { expiresAfterSeconds: 3 });
    await worker.producer.wake('video.advance', task.id);
    await worker.until(task.id, 'running');
    await worker.fault({ operation: 'get', action: 'status', status: 500, times: 1_000 });

    await worker.until(task.id, 'expired');

    expect(await worker.find(task.id)).toMatchObject({
      step: 'late',
      failure: { code: 'expired' },
    });
    expect(await slotsTaken()).toBe(1);
    await fetch(`${worker.sandbox.url}/control/faults`, { method: 'DELETE' });
    await eventually(
      async () => {
        expect(await worker.find(task.id)).toMatchObject({ step: 'done' });
      },
      { withinMs: 15_000 },
    );
    expect(await slotsTaken()).toBe(0);
    expect(await exposuresOf(task.id)).toMatchObject([{ kind: 'late_success' }]);
  });
});
