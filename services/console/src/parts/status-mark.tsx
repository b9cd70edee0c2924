import type { VideoStatus } from '@gateway/client';

export type Mood = 'waiting' | 'busy' | 'good' | 'bad' | 'over';

/** Each with a form of its own, for whoever does not tell colours apart. */
const forms: Readonly<Record<Mood, string>> = {
  waiting: 'M7 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM7 4v3.2l2 1.3',
  busy: 'M7 1.5A5.5 5.5 0 1 1 1.5 7',
  good: 'M7 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.5 7.2 6.3 9l3.3-3.6',
  bad: 'M7 1.2 13 12H1zM7 5v3.2M7 10.1v.1',
  over: 'M7 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.4 7h5.2',
};

export const moodOf: Readonly<Record<VideoStatus, Mood>> = {
  queued: 'waiting',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'over',
};

/** The form of a mood alone. */
export function MoodForm({ mood }: { mood: Mood }) {
  return (
    <svg
      className="state-form"
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={forms[mood]} />
    </svg>
  );
}

/** A state as word, form and colour. */
export function StateMark({ mood, word }: { mood: Mood; word: string }) {
  return (
    <span className={`state state-${mood}`}>
      <MoodForm mood={mood} />
      {word}
    </span>
  );
}

export function StatusMark({ status }: { status: VideoStatus }) {
  return <StateMark mood={moodOf[status]} word={status} />;
}
