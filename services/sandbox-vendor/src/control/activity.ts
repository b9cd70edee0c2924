/** What was asked of the vendor, for tests that want to know how often it was called. */
export interface Activity {
  count(event: ActivityEvent): void;
  /** Counts one poll of a task and says which one it is, from 1. */
  countPoll(taskId: string): number;
  /** Counts one download of a file and says which one it is, from 1. */
  countDownload(token: string): number;
  pollsOf(taskId: string): number;
  counts(): Readonly<Record<ActivityEvent, number>>;
  reset(): void;
}

export const activityEvents = [
  'creates_received',
  'creates_accepted',
  'creates_refused',
  'answers_lost',
  'gets',
  'lists',
  'deletes',
  'downloads',
  'faults_applied',
] as const;
export type ActivityEvent = (typeof activityEvents)[number];

/** Counts are kept for so many tasks and files; a test asks about recent ones. */
const maxCounted = 50_000;

export function createActivity(): Activity {
  const events = new Map<ActivityEvent, number>();
  const polls = new Map<string, number>();
  const downloads = new Map<string, number>();
  return {
    count(event) {
      events.set(event, (events.get(event) ?? 0) + 1);
    },
    countPoll: (taskId) => countIn(polls, taskId),
    countDownload: (token) => countIn(downloads, token),
    pollsOf: (taskId) => polls.get(taskId) ?? 0,
    counts: () =>
      Object.fromEntries(activityEvents.map((event) => [event, events.get(event) ?? 0])) as Record<
        ActivityEvent,
        number
      >,
    reset() {
      for (const map of [events, polls, downloads]) map.clear();
    },
  };
}

function countIn(map: Map<string, number>, key: string): number {
  const number = (map.get(key) ?? 0) + 1;
  map.set(key, number);
  const [oldest] = map.keys();
  if (map.size > maxCounted && oldest !== undefined) map.delete(oldest);
  return number;
}
