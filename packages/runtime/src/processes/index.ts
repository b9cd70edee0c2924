export { asGroupMember, processNumber } from './group-member.ts';
export { createGroupService } from './group-service.ts';
export { mergeMetrics } from './merge-metrics.ts';
export { mergeReadiness } from './merge-readiness.ts';
