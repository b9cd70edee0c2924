import type { TaskStatus } from '@gateway/domain';
import type { TaskTimeline } from '@gateway/store';

/** Moments in the life of a task, in the words of the resource. */
export const momentNames = [
  'held',
  'queued',
  'admitted',
  'submitted',
  'running',
  'cancel_requested',
  'stored',
  'ended',
  'charged',
  'released',
  'pushed',
  'files_removed',
] as const;
export type MomentName = (typeof momentNames)[number];

interface Moment {
  readonly name: MomentName;
  readonly at: Date | null;
  readonly status?: TaskStatus;
  readonly quota?: number | null;
}

/** How a hold was closed: what was charged of it, and what was given back. */
function closings({ closedAt: at, heldQuota, chargedQuota }: TaskTimeline): readonly Moment[] {
  const [held, charged] = [heldQuota ?? 0, chargedQuota ?? 0];
  return [
    ...(charged > 0 ? [{ name: 'charged', at, quota: charged } as const] : []),
    ...(charged < held || charged === 0
      ? [{ name: 'released', at, quota: held - charged } as const]
      : []),
  ];
}

/** The moments that are on record, in their order. */
export function momentResources(timeline: TaskTimeline) {
  const moments: readonly Moment[] = [
    { name: 'held', at: timeline.heldAt, quota: timeline.heldQuota },
    { name: 'queued', at: timeline.queuedAt },
    { name: 'admitted', at: timeline.admittedAt },
    { name: 'submitted', at: timeline.submittedAt },
    { name: 'running', at: timeline.startedAt },
    { name: 'cancel_requested', at: timeline.cancelRequestedAt },
    { name: 'stored', at: timeline.storedAt },
    { name: 'ended', at: timeline.completedAt, status: timeline.status },
    ...closings(timeline),
    ...timeline.pushes.map(({ status, at }) => ({
      name: 'pushed' as const,
      at: new Date(at),
      status,
    })),
    { name: 'files_removed', at: timeline.filesRemovedAt },
  ];
  return moments
    .flatMap(({ at, ...moment }) => (at === null ? [] : [{ ...moment, at }]))
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(momentResource);
}

export const momentResource = ({ name, at, status, quota }: Moment & { readonly at: Date }) => ({
  object: 'video.moment',
  name,
  at: at.toISOString(),
  status: status ?? null,
  quota: quota ?? null,
});
