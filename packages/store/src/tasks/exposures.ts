import type { Database } from '../database/database.ts';

/** Vendor work that nobody is billed for. */
export interface Exposure {
  readonly taskId: string;
  readonly kind: 'late_success' | 'submission_unknown' | 'orphan';
  readonly provider: string;
  readonly vendorTaskId: string | null;
  readonly detail: string;
}

const longestDetail = 1_000;

/** Once for each task and kind: the same again changes nothing. */
export async function recordExposure(
  { prisma }: Database,
  { taskId, kind, provider, vendorTaskId, detail }: Exposure,
): Promise<void> {
  await prisma.exposure.createMany({
    data: [{ taskId, kind, provider, vendorTaskId, detail: detail.slice(0, longestDetail) }],
    skipDuplicates: true,
  });
}

/** How often each kind happened; kinds that never did are 0. */
export async function countExposures({
  prisma,
}: Database): Promise<Record<Exposure['kind'], number>> {
  const counts = await prisma.exposure.groupBy({ by: ['kind'], _count: true });
  return {
    late_success: 0,
    submission_unknown: 0,
    orphan: 0,
    ...Object.fromEntries(counts.map(({ kind, _count }) => [kind, _count])),
  };
}
