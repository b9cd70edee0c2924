import { isFinished, type Video, type VideoFilter } from '@gateway/client';
import { hashKey, type QueryKey } from '@tanstack/react-query';
import { gateway, isRefused } from './client.ts';
import { replaced, without, type Rows } from './pages.ts';
import { balanceQuery, runQuery, timelineQuery } from './queries.ts';
import { queries } from './query-client.ts';
import { inColumns, runField } from './runs.ts';
import { createStore } from './store.ts';
import { atMostEvery } from './throttle.ts';

const againAfterMs = 3_000;
const readAgainEveryMs = 2_000;

/** Why live updates have ended, if they have: the gateway refuses them. */
export const liveRefusal = createStore<Error | undefined>(undefined);

/** Reads what is shown again, however many events come: at once, and then every two seconds. */
const readAgain = atMostEvery<QueryKey>(
  readAgainEveryMs,
  (queryKey) => queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false }),
  hashKey,
);

/** Keeps what has been read up to date until the signal ends it, or the gateway refuses. */
export async function followAccount(signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  signal.addEventListener('abort', () => {
    liveRefusal.set(undefined);
  });
  while (!signal.aborted) {
    try {
      for await (const { video, position } of gateway.events({
        signal,
        after,
        onReset: readAllAgain,
      })) {
        after = position;
        noteVideo(video);
      }
    } catch (error) {
      // An aborted call throws its signal's reason, which is no refusal.
      if (isRefused(error)) {
        liveRefusal.set(error);
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, againAfterMs));
  }
}

const readAllAgain = (): void => void queries.invalidateQueries();

/** A video as an event, or the response to a creation, shows it: replaced where it stands. */
export function noteVideo(video: Video): void {
  replaceIn(video);
  replaceInLists(video);
  addToRun(video);
  readAgainIfRead(timelineQuery(video.id).queryKey);
  if (video.status === 'queued' || isFinished(video)) readAgainIfRead(balanceQuery.queryKey);
}

function readAgainIfRead(queryKey: QueryKey): void {
  if (queries.getQueryState(queryKey) !== undefined) readAgain(queryKey);
}

function replaceIn(video: Video): void {
  queries.setQueryData<Video>(['video', video.id], (one) =>
    one === undefined ? undefined : newerOf(one, video),
  );
  queries.setQueriesData<readonly Video[]>({ queryKey: ['run'] }, (videos) =>
    videos?.map((one) => (one.id === video.id ? newerOf(one, video) : one)),
  );
}

/** A list that does not show the video is read again, for it may have to. */
function replaceInLists(video: Video): void {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: ['videos'] })) {
    const known = state.data as Rows<Video> | undefined;
    if (known === undefined) continue;
    const { status } = queryKey[1] as VideoFilter;
    const changed = replaced(known, video.id, (one) => newerOf(one, video));
    if (changed === known) readAgain(queryKey);
    else {
      const isLeft = status === undefined || status === video.status;
      queries.setQueryData(queryKey, isLeft ? changed : without(changed, video.id));
    }
  }
}

/** Events have no request, and may come late: what is finished stays so. */
const newerOf = (known: Video, video: Video): Video => {
  if (isFinished(known)) return known;
  return known.request === undefined || video.request !== undefined
    ? video
    : { ...video, request: known.request };
};

/** A new video of a take that is shown: it stands there at once, and what was being read is read again. */
function addToRun(video: Video): void {
  const run = video.metadata[runField];
  if (run === undefined) return;
  const { queryKey } = runQuery(run);
  const known = queries.getQueryData(queryKey);
  const isShown = queries.getQueryState(queryKey) !== undefined;
  if (!isShown || known?.some(({ id }) => id === video.id) === true) return;
  queries.setQueryData(queryKey, inColumns([...(known ?? []), video]));
  readAgain(queryKey);
}
