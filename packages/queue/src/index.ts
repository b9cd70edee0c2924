export * from './consumer.ts';
export * from './producer.ts';
