export * from './consumer.ts';
export { isToldLook } from './job-span.ts';
export * from './producer.ts';
export * from './queue-counts.ts';
export * from './redis-facts.ts';
export * from './watch-queues.ts';
