import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask, Task } from '@gateway/contracts';
import { anAccount, aQueuedTask, eventually, openPeer, type Peer } from '@gateway/testing';
import { openWorker, type WorkerUnderTest } from '../component/video-worker/harness.ts';

let worker: WorkerUnderTest;
let peer: Peer | undefined;
beforeEach(async () => {
  worker = await openWorker();
});
afterEach(async () => {
  await peer?.close();
  peer = undefined;
  await worker.close();
});

const at = (provider: string, url: string): Partial<NewTask> => ({
  vendor: {
    provider,
    kind: 'ark',
    baseUrl: `${url}/api/v3`,
    credentialId: 'test',
    upstreamModel: 'sandbox-video',
    taskId: null,
  },
});

const many = (count: number, make: () => Promise<Task>): Promise<Task[]> =>
  Promise.all(Array.from({ length: count }, make));

describe('two replicas before two vendors', () => {
  it('serve the one while every call to the other hangs', async () => {
    const hanging = (peer = await openPeer(() => undefined));
    const stuck = await many(700, () => worker.aTask('x', at('other', hanging.url)));
    const patient = { VENDOR_TIMEOUT_MS: 50_000, VENDOR_BREAKER_FAILURES: 1_000 };
    await Promise.all([worker.startWorker(patient), worker.startWorker(patient)]);
    await worker.producer.wakeAll(
      'video.advance',
      stuck.map(({ id }) => id),
    );
    // More tasks than both replicas look at together for all vendors.
    await eventually(
      () => {
        expect(hanging.received.length).toBeGreaterThan(100);
      },
      { withinMs: 30_000 },
    );

    const tasks = await many(6, () => worker.aTask('a red balloon'));
    await worker.producer.wakeAll(
      'video.advance',
      tasks.map(({ id }) => id),
    );

    await Promise.all(tasks.map(({ id }) => worker.until(id, 'succeeded')));
  });

  it('hand tasks over account by account, oldest first, and the next one as soon as a slot is free', async () => {
    const { id: other } = await anAccount(worker.database, { quota: 1_000 });
    const ofOne = (await many(8, () => worker.aTask('[fail] x', at('narrow', worker.sandbox.url))))
      .map(({ id }) => id)
      .sort();
    const { request, accountId } = await worker.find(ofOne[0]!);
    const ofOther = (
      await many(2, () =>
        aQueuedTask(worker.database, other, { ...at('narrow', worker.sandbox.url), request }),
      )
    )
      .map(({ id }) => id)
      .sort();

    // Whoever waits for a sweep instead of the slot before it would outlast the test.
    const seldom = { SWEEP_MS: 600_000, ADMIT_SWEEP_MS: 600_000 };
    await Promise.all([worker.startWorker(seldom), worker.startWorker(seldom)]);
    await Promise.all([...ofOne, ...ofOther].map((id) => worker.until(id, 'failed')));

    const { rows } = await worker.database.pool.query<{
      id: string;
      started_at: Date;
      completed_at: Date;
    }>(
      `SELECT id, started_at, completed_at FROM task WHERE provider = 'narrow' ORDER BY started_at`,
    );
    const [first, second] = accountId < other ? [ofOne, ofOther] : [ofOther, ofOne];
    expect(rows.map(({ id }) => id)).toEqual([
      first[0],
      second[0],
      first[1],
      second[1],
      ...ofOne.slice(2),
    ]);
    const overlapping = rows
      .slice(1)
      .filter(({ started_at }, index) => started_at < rows[index]!.completed_at);
    expect(overlapping).toEqual([]); // one slot
  });

  it('keep to the request rate of a vendor together', async () => {
    const slow = (peer = await openPeer((_received, response) => {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":{"code":"InvalidParameter","message":"no"}}');
    }));
    const tasks = await many(30, () => worker.aTask('x', at('slow', slow.url)));

    const begun = Date.now();
    await Promise.all([worker.startWorker(), worker.startWorker()]);
    await Promise.all(tasks.map(({ id }) => worker.until(id, 'failed')));

    expect(slow.received).toHaveLength(30);
    // Five a second. A busy machine may bunch requests on their way, but nothing makes the whole
    // faster; two replicas with a rate each would take half the time.
    expect(slow.received.at(-1)!.at - begun).toBeGreaterThanOrEqual((30 - 1) * 200);
  });

  it('end a task whose deadline passes while it waits in the queue, though it has no job', async () => {
    const hanging = (peer = await openPeer(() => undefined));
    await worker.aTask('x', at('narrow', hanging.url));
    const waiting = await worker.aTask('x', {
      ...at('narrow', hanging.url),
      expiresAfterSeconds: 2,
    });
    await worker.startWorker({ VENDOR_TIMEOUT_MS: 50_000 });

    const expired = await worker.until(waiting.id, 'expired');

    expect(expired).toMatchObject({ admittedAt: null, billed: { quota: 0 } });
  });
});
