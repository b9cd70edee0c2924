export { createSharedClock, type SharedClock } from './shared-clock.ts';
