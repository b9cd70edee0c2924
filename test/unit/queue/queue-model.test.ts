import { describe } from '@jest/globals';
import { recordingLog } from '@gateway/testing';
import { done } from '@gateway/queue';
import { queueConsumerContract } from '../../contracts/queue-consumer-contract.ts';
import type { QueueDeployment } from '../../contracts/queue-deployment.ts';
import { queueWakeContract } from '../../contracts/queue-wake-contract.ts';
import {
  createModelConsumer,
  createModelProducer,
  type QueueLink,
} from '../../simulation/stores/queue-model.ts';
import { createQueueState } from '../../simulation/stores/queue-state.ts';

/** A Redis that is always there and answers at once, in real time. */
const link: QueueLink = {
  isUp: () => true,
  now: Date.now,
  onEnd: () => undefined,
  send: (command) => Promise.resolve().then(command),
};

function openModel(): QueueDeployment {
  const state = createQueueState();
  const stops: (() => Promise<void>)[] = [];
  return {
    producer() {
      const log = recordingLog();
      return Promise.resolve({ producer: createModelProducer(state, { link, log }), log });
    },
    async consumer(options) {
      const log = recordingLog();
      const consumer = createModelConsumer(state, {
        job: 'video.advance',
        handle: () => Promise.resolve(done),
        log,
        link,
        ...options,
      });
      stops.push(() => consumer.part.stop());
      await consumer.part.start?.();
      return { consumer, log };
    },
    flush() {
      state.flush();
      return Promise.resolve();
    },
    liveJobs: (queue) => Promise.resolve(state.live(queue).map(({ id }) => id)),
    delayedJobs: (queue) =>
      Promise.resolve(state.live(queue).filter((job) => job.state === 'delayed').length),
    async close() {
      for (const stop of stops) await stop();
    },
  };
}

describe('the model of the queues in a simulated world', () => {
  queueWakeContract(openModel);
  queueConsumerContract(openModel);
});
