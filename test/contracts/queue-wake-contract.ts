import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { done } from '@gateway/queue';
import { currentContext, newId, runWith, type LogContext } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import { aGate, aTaskId, eventuallyEqual, type QueueDeployment } from './queue-deployment.ts';

/** What a wake-up does, with the real queues and with their model alike. */
export function queueWakeContract(open: () => QueueDeployment): void {
  let deployment: QueueDeployment;
  beforeEach(() => {
    deployment = open();
  });
  afterEach(() => deployment.close());

  describe('waking somebody up for a task', () => {
    it('brings the task id to a worker, and leaves nothing behind', async () => {
      const seen: string[] = [];
      await deployment.consumer({
        handle: (taskId) => {
          seen.push(taskId);
          return Promise.resolve(done);
        },
      });
      const { producer, log } = await deployment.producer();
      const taskId = aTaskId();

      await producer.wake('video.advance', taskId);

      await eventuallyEqual(() => seen, [taskId]);
      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([]);
      });
      expect(log.lines).toEqual([]);
    });

    it('reaches the queue of its job only', async () => {
      const seen: string[] = [];
      for (const job of ['video.advance', 'billing.settle'] as const) {
        await deployment.consumer({
          job,
          handle: (taskId) => {
            seen.push(`${job} ${taskId}`);
            return Promise.resolve(done);
          },
        });
      }
      const { producer } = await deployment.producer();
      const taskId = aTaskId();

      await producer.wake('billing.settle', taskId);
      await eventuallyEqual(() => seen, [`billing.settle ${taskId}`]);
      await producer.wake('video.advance', taskId);

      await eventuallyEqual(() => seen, [`billing.settle ${taskId}`, `video.advance ${taskId}`]);
    });

    it('is a no-op while a job of the task waits', async () => {
      const { producer } = await deployment.producer();
      const [taskId, last] = [aTaskId(), aTaskId()];
      for (let times = 0; times < 5; times += 1) await producer.wake('video.advance', taskId);
      await producer.wake('video.advance', last);

      const seen: string[] = [];
      await deployment.consumer({
        concurrency: 1,
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });

      await eventuallyEqual(() => seen, [taskId, last]);
    });

    it('is a no-op while somebody works on the task', async () => {
      const gate = aGate();
      const seen: string[] = [];
      await deployment.consumer({
        concurrency: 1,
        handle: async (id) => {
          seen.push(id);
          await gate.passed;
          return done;
        },
      });
      const { producer } = await deployment.producer();
      const [taskId, last] = [aTaskId(), aTaskId()];
      await producer.wake('video.advance', taskId);
      await eventuallyEqual(() => seen, [taskId]);

      for (let times = 0; times < 5; times += 1) await producer.wake('video.advance', taskId);
      await producer.wake('video.advance', last);
      gate.open();

      await eventuallyEqual(() => seen, [taskId, last]);
    });

    it('works again once the job has ended', async () => {
      const seen: string[] = [];
      const over: string[] = [];
      await deployment.consumer({
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
        recheck: (id) => {
          over.push(id);
          return Promise.resolve();
        },
      });
      const { producer } = await deployment.producer();
      const taskId = aTaskId();

      for (let times = 1; times <= 3; times += 1) {
        await producer.wake('video.advance', taskId);
        await eventuallyEqual(() => over.length, times);
      }

      expect(seen).toEqual([taskId, taskId, taskId]);
    });

    it('waits as long as it is told', async () => {
      const times: number[] = [];
      await deployment.consumer({
        handle: () => {
          times.push(Date.now());
          return Promise.resolve(done);
        },
      });
      const { producer } = await deployment.producer();
      const start = Date.now();

      await producer.wake('video.advance', aTaskId(), { delayMs: 400 });

      await eventuallyEqual(() => times.length, 1);
      expect(times[0]! - start).toBeGreaterThanOrEqual(395);
    });

    it('wakes thousands in bulk, those that live already included', async () => {
      const taskIds = Array.from({ length: 2_300 }, aTaskId);
      const { producer } = await deployment.producer();
      await producer.wakeAll('video.advance', taskIds.slice(900, 1_100));

      await producer.wakeAll('video.advance', taskIds);
      const seen: string[] = [];
      await deployment.consumer({
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });

      await eventuallyEqual(() => seen.length, 2_300);
      expect(new Set(seen)).toEqual(new Set(taskIds));
    });
  });

  describe('bringing jobs forward', () => {
    it('runs at once those that are put off for longer than that, and leaves everybody else as they are', async () => {
      const { producer } = await deployment.producer();
      const [far, near, waiting, jobless] = [aTaskId(), aTaskId(), aTaskId(), aTaskId()];
      await producer.wake('video.advance', far, { delayMs: 3_600_000 });
      await producer.wake('video.advance', near, { delayMs: 30_000 });
      await producer.wake('video.advance', waiting);

      await producer.bringForward('video.advance', [far, near, waiting, jobless], {
        beyondMs: 60_000,
      });

      const seen: string[] = [];
      await deployment.consumer({
        handle: (id) => {
          seen.push(id);
          return Promise.resolve(done);
        },
      });
      await eventuallyEqual(() => [...seen].sort(), [far, waiting].sort());
      await eventually(async () => {
        expect(await deployment.liveJobs('video')).toEqual([near]);
      });
    });
  });

  describe('the request id of whoever woke the task', () => {
    const contexts: (Partial<LogContext> | undefined)[] = [];
    const idsOf = (context: LogContext | undefined): Partial<LogContext> => {
      const { scope: _, ...ids } = context ?? { requestId: 'no context' };
      return ids;
    };
    beforeEach(async () => {
      contexts.length = 0;
      await deployment.consumer({
        handle: () => {
          contexts.push(idsOf(currentContext()));
          return Promise.resolve(done);
        },
      });
    });

    it('is in the log context of the worker when it was given', async () => {
      const { producer } = await deployment.producer();
      const taskId = aTaskId();

      await producer.wake('video.advance', taskId, { requestId: 'req_given' });

      await eventuallyEqual(() => contexts, [{ requestId: 'req_given', taskId, queue: 'video' }]);
    });

    it('goes with the id under the name of what the job is for', async () => {
      await deployment.consumer({
        job: 'metering.apply',
        handle: () => {
          contexts.push(idsOf(currentContext()));
          return Promise.resolve(done);
        },
      });
      const { producer } = await deployment.producer();
      const batchId = newId('usageBatch');

      await producer.wake('metering.apply', batchId, { requestId: 'req_given' });

      await eventuallyEqual(
        () => contexts,
        [{ requestId: 'req_given', batchId, queue: 'metering' }],
      );
    });

    it('is taken from the request under way', async () => {
      const { producer } = await deployment.producer();

      await runWith({ requestId: 'req_current' }, () => producer.wake('video.advance', aTaskId()));
      await eventuallyEqual(() => contexts.length, 1);
      await runWith({ requestId: 'req_sweep' }, () =>
        producer.wakeAll('video.advance', [aTaskId()]),
      );

      await eventuallyEqual(
        () => contexts.map((context) => context?.requestId),
        ['req_current', 'req_sweep'],
      );
    });

    it('is `none` when there is no request', async () => {
      const { producer } = await deployment.producer();

      await producer.wake('video.advance', aTaskId());

      await eventuallyEqual(() => contexts.map((context) => context?.requestId), ['none']);
    });
  });
}
