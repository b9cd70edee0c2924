import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { done, retryAfter, type JobOutcome } from '@gateway/queue';
import { currentContext } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import { aGate, aTaskId, eventuallyEqual, type QueueDeployment } from './queue-deployment.ts';

/** What becomes of a job, with the real queues and with their model alike. */
export function queueConsumerContract(open: () => QueueDeployment): void {
  let deployment: QueueDeployment;
  beforeEach(() => {
    deployment = open();
  });
  afterEach(() => deployment.close());

  describe('a task that is to be looked at again', () => {
    it('comes back after the time it asked for, and not before', async () => {
      const times: number[] = [];
      const outcomes: JobOutcome[] = [retryAfter(300), retryAfter(0), done];
      const { log } = await deployment.consumer({
        handle: () => {
          times.push(Date.now());
          return Promise.resolve(outcomes[times.length - 1] ?? done);
        },
      });
      const { producer } = await deployment.producer();

      await producer.wake('video.advance', aTaskId());

      await eventuallyEqual(() => times.length, 3);
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(295);
      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([]);
      });
      expect(log.lines).toEqual([]);
    });

    it('keeps its job meanwhile, so that waking it changes nothing', async () => {
      let runs = 0;
      await deployment.consumer({
        handle: () => {
          runs += 1;
          return Promise.resolve(runs === 1 ? retryAfter(1_500) : done);
        },
      });
      const { producer } = await deployment.producer();
      const taskId = aTaskId();
      const start = Date.now();
      await producer.wake('video.advance', taskId);
      await eventuallyEqual(() => runs, 1);
      await eventually(async () => {
        expect(await deployment.delayedJobs('video')).toBe(1);
      });

      await producer.wake('video.advance', taskId);

      await expect(deployment.liveJobs('video')).resolves.toEqual([taskId]);
      await eventuallyEqual(() => runs, 2);
      expect(Date.now() - start).toBeGreaterThanOrEqual(1_495);
    });
  });

  describe('a consumer whose clock is wrong', () => {
    it('leaves jobs to others, and takes what waits once its clock was set right', async () => {
      let isClockRight = false;
      const seen: string[] = [];
      const { consumer } = await deployment.consumer({
        isClockRight: () => isClockRight,
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });
      const { producer } = await deployment.producer();
      const [first, second] = [aTaskId(), aTaskId()];
      await producer.wake('video.advance', first);

      const { consumer: other } = await deployment.consumer();
      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([]);
      });
      expect(other.activity().taken).toBe(1);
      await other.part.stop();
      await producer.wake('video.advance', second);
      expect(consumer.activity().taken).toBe(0);
      isClockRight = true;

      await eventuallyEqual(() => seen, [second]);
    });
  });

  describe('a wake-up in a hurry', () => {
    it('is an ordinary one for a task without a job', async () => {
      const seen: string[] = [];
      await deployment.consumer({
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });
      const { producer, log } = await deployment.producer();
      const taskId = aTaskId();

      await producer.wake('video.advance', taskId, { hurry: true });

      await eventuallyEqual(() => seen, [taskId]);
      expect(log.lines).toEqual([]);
    });

    it('brings forward a job that was put off', async () => {
      let runs = 0;
      await deployment.consumer({
        handle: () => {
          runs += 1;
          return Promise.resolve(runs === 1 ? retryAfter(600_000) : done);
        },
      });
      const { producer, log } = await deployment.producer();
      const taskId = aTaskId();
      // Not in a hurry: that might bring itself forward.
      await producer.wake('video.advance', taskId);
      await eventuallyEqual(() => runs, 1);
      await eventually(async () => {
        expect(await deployment.delayedJobs('video')).toBe(1);
      });

      await Promise.all(
        [1, 2, 3].map(() => producer.wake('video.advance', taskId, { hurry: true })),
      );

      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([]);
      });
      expect(runs).toBeGreaterThanOrEqual(2);
      expect(log.lines).toEqual([]);
    });

    it('leaves a job alone that is under way', async () => {
      const gate = aGate();
      const seen: string[] = [];
      await deployment.consumer({
        handle: async (id) => {
          seen.push(id);
          await gate.passed;
          return done;
        },
      });
      const { producer, log } = await deployment.producer();
      const taskId = aTaskId();
      await producer.wake('video.advance', taskId);
      await eventuallyEqual(() => seen, [taskId]);

      await producer.wake('video.advance', taskId, { hurry: true });
      gate.open();

      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([]);
      });
      expect([seen, log.lines]).toEqual([[taskId], []]);
    });
  });

  describe('a handler that throws', () => {
    it('is logged loudly and asked again after a while', async () => {
      const times: number[] = [];
      const { log } = await deployment.consumer({
        retryMs: 500,
        handle: () => {
          times.push(Date.now());
          return times.length === 1
            ? Promise.reject(new Error('the store is away'))
            : Promise.resolve(done);
        },
      });
      const { producer } = await deployment.producer();

      await producer.wake('video.advance', aTaskId());

      await eventuallyEqual(() => times.length, 2);
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(390);
      expect(log.lines.filter((line) => line.level === 'error')).toEqual([
        {
          level: 'error',
          message: 'job failed, will be retried',
          fields: { error: expect.objectContaining({ message: 'the store is away' }) as unknown },
        },
      ]);
    });

    it('where nobody awaits it is retried as well, and does not wait for ever', async () => {
      const begun: string[] = [];
      const { log } = await deployment.consumer({
        retryMs: 100,
        handle: (id) => {
          begun.push(id);
          if (begun.length > 1) return Promise.resolve(done);
          currentContext()?.scope?.fail(new Error('thrown in a timer'));
          return new Promise(() => undefined);
        },
      });
      const { producer } = await deployment.producer();
      const id = aTaskId();

      await producer.wake('video.advance', id);

      await eventuallyEqual(() => begun, [id, id]);
      expect(log.lines.map(({ message }) => message)).toContain('job failed, will be retried');
    });

    it('does not keep other tasks waiting', async () => {
      const seen: string[] = [];
      const bad = aTaskId();
      await deployment.consumer({
        concurrency: 1,
        handle: (id) =>
          id === bad
            ? Promise.reject(new Error('always'))
            : Promise.resolve(done).finally(() => seen.push(id)),
      });
      const { producer } = await deployment.producer();
      const good = aTaskId();

      await producer.wake('video.advance', bad);
      await producer.wake('video.advance', good);

      await eventuallyEqual(() => seen, [good]);
      // Its handler has ended; its job leaves the queue a moment later.
      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([bad]);
      });
    });
  });

  describe('looking again', () => {
    it('happens after the job has left the queue, so that a wake-up that was swallowed can be repeated', async () => {
      const gate = aGate();
      const seen: string[] = [];
      const { producer } = await deployment.producer();
      const taskId = aTaskId();
      let due = true;
      await deployment.consumer({
        handle: async (id) => {
          seen.push(id);
          if (seen.length === 1) await gate.passed;
          return done;
        },
        recheck: async (id) => {
          if (!due) return;
          due = false;
          await producer.wake('video.advance', id);
        },
      });
      await producer.wake('video.advance', taskId);
      await eventuallyEqual(() => seen, [taskId]);

      await producer.wake('video.advance', taskId);
      gate.open();

      await eventuallyEqual(() => seen, [taskId, taskId]);
    });

    it('does not happen for a task that is to come back anyway', async () => {
      const runs: string[] = [];
      let calls = 0;
      const taskId = aTaskId();
      await deployment.consumer({
        handle: () => {
          calls += 1;
          return Promise.resolve(calls < 3 ? retryAfter(20) : done);
        },
        recheck: (id) => {
          runs.push(`${id} after ${calls}`);
          return Promise.resolve();
        },
      });
      const { producer } = await deployment.producer();

      await producer.wake('video.advance', taskId);

      await eventuallyEqual(() => runs, [`${taskId} after 3`]);
    });

    it('is left to the reconciler when it fails', async () => {
      const { log } = await deployment.consumer({
        recheck: () => Promise.reject(new Error('the store is away')),
      });
      const { producer } = await deployment.producer();
      const taskId = aTaskId();

      await producer.wake('video.advance', taskId);

      await eventuallyEqual(
        () => log.lines,
        [
          {
            level: 'warn',
            message: 'could not recheck after a job, left to the reconciler',
            fields: { taskId, reason: 'the store is away' },
          },
        ],
      );
    });
  });

  describe('queues that have lost everything', () => {
    it('take the same task again', async () => {
      const { producer } = await deployment.producer();
      const taskId = aTaskId();
      await producer.wake('video.advance', taskId);

      await deployment.flush();
      await expect(deployment.liveJobs('video')).resolves.toEqual([]);
      await producer.wake('video.advance', taskId);

      const seen: string[] = [];
      await deployment.consumer({
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });
      await eventuallyEqual(() => seen, [taskId]);
    });
  });
}
