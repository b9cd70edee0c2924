export { dueWorkGauges } from './due-work.ts';
export { createFileDeletions } from './file-deletions.ts';
export { createHistogram, type Series } from './histogram.ts';
export {
  Counter,
  Gauge,
  Histogram,
  createMetrics,
  httpDuration,
  version,
  type HttpDuration,
  type Registry,
} from './metrics.ts';
export { poolGauges } from './pool.ts';
export { sampledGauges } from './sampled.ts';
