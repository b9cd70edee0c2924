export {
  createConsumer,
  type Consumer,
  type ConsumerActivity,
  type ConsumerOptions,
} from './consumer.ts';
export { done, retryAfter, type JobOutcome } from './job-outcome.ts';
export { isReportedAttempt } from './job-span.ts';
export { createProducer, type Producer } from './producer.ts';
export { createQueueCounts, type QueueCount, type QueueCounts } from './queue-counts.ts';
export { readRedisFacts, type RedisFacts } from './redis-facts.ts';
export { watchQueues, type QueueWatch } from './watch-queues.ts';
