import type { TaskDetail } from '@gateway/client';
import { numberText } from '../parts/format.ts';
import type { Mood } from '../parts/status-mark.tsx';

/** One thing that happened to a video, or will. */
export interface Moment {
  readonly at: string;
  readonly words: string;
  readonly note?: string;
  readonly mood: Mood;
}

const endMoods: Readonly<Record<string, Mood>> = {
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'over',
};

const statusWords: Readonly<Record<TaskDetail['status'], string>> = {
  queued: 'Queued',
  running: 'Rendering',
  succeeded: 'Succeeded',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

type Draft = Omit<Moment, 'at'> & { readonly at: string | null };

const statusMoments = ({ events }: TaskDetail): readonly Draft[] =>
  events.map(({ at, status }) => ({
    at,
    words: statusWords[status],
    mood: endMoods[status] ?? 'good',
  }));

const tryMoments = ({ tries }: TaskDetail): readonly Draft[] =>
  tries.flatMap((one) => {
    const route = `try ${one.number}, ${one.provider} · ${one.upstream_model}`;
    const failed = ['refused', 'failed', 'unavailable', 'busy', 'unknown'];
    return [
      { at: one.created_at, words: 'Sent to vendor', note: route, mood: 'good' as const },
      { at: one.accepted_at, words: 'Accepted by vendor', note: route, mood: 'good' as const },
      {
        at: one.ended_at,
        words: `Try ${one.number} ended: ${(one.outcome ?? 'unknown').replaceAll('_', ' ')}`,
        ...(one.detail !== null && { note: one.detail }),
        mood: failed.includes(one.outcome ?? '') ? ('bad' as const) : ('good' as const),
      },
    ];
  });

const quotaText = (quota: number): string => `${numberText(quota)} quota`;

function holdMoments({ hold }: TaskDetail): readonly Draft[] {
  if (hold === null) return [];
  const { quota, charged_quota: charged, created_at: heldAt, closed_at: closedAt } = hold;
  const end =
    (charged ?? 0) > 0
      ? { words: 'Charged', note: quotaText(charged ?? 0) }
      : { words: 'Quota released', note: quotaText(quota) };
  return [
    { at: heldAt, words: 'Quota held', note: quotaText(quota), mood: 'good' },
    { at: closedAt, ...end, mood: 'good' },
  ];
}

const ownMoments = (detail: TaskDetail): readonly Draft[] => [
  { at: detail.admitted_at, words: 'Slot assigned', mood: 'good' },
  { at: detail.cancel_requested_at, words: 'Cancellation requested', mood: 'waiting' },
  { at: detail.deleted_at, words: 'Deleted by its customer', mood: 'over' },
];

/** Everything on record of a video, in its order. */
export const momentsOf = (detail: TaskDetail): readonly Moment[] =>
  [...holdMoments(detail), ...statusMoments(detail), ...ownMoments(detail), ...tryMoments(detail)]
    .filter((moment): moment is Moment => moment.at !== null)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
