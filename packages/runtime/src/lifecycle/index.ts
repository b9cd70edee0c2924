export { openCollector } from './collector.ts';
export { crashPoints, type CrashPointName } from './crash-points.ts';
export { boundHeapGrowth } from './heap-growth.ts';
export { intervalPart } from './interval.ts';
export { runService, startAll, type Service } from './lifecycle.ts';
export type { Part } from './part.ts';
export { replicaReportPart } from './replica-report.ts';
export { crashPointChannel, reached } from './reached.ts';
