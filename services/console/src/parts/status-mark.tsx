import type { VideoStatus } from '@gateway/client';

export type Mood = 'waiting' | 'busy' | 'good' | 'bad' | 'over';

export const moodOf: Readonly<Record<VideoStatus, Mood>> = {
  queued: 'waiting',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'over',
};

/** The form of a mood alone; the styles have them all. */
export const MoodForm = ({ mood }: { mood: Mood }) => (
  <span className={`mood mood-${mood}`} aria-hidden="true" />
);

/** A state as word, form and colour. */
export const StateMark = ({ mood, word }: { mood: Mood; word: string }) => (
  <span className={`state state-${mood}`}>{word}</span>
);

export function StatusMark({ status }: { status: VideoStatus }) {
  return <StateMark mood={moodOf[status]} word={status} />;
}
