import { isFinished, type Video, type VideoFilter } from '@gateway/client';
import { gateway } from './client.ts';
import { follow } from './follow.ts';
import { replaced, without, type Rows } from './pages.ts';
import { balanceQuery, runQuery, timelineQuery } from './queries.ts';
import { queries } from './query-client.ts';
import { createReadAgain } from './read-again.ts';
import { inColumns, runField } from './runs.ts';

const { readAgain, readAgainIfRead } = createReadAgain(2_000);

/** Keeps what has been read of the account up to date. */
export const followAccount = (signal: AbortSignal): Promise<void> =>
  follow(signal, {
    open: (options) => gateway.events(options),
    note: ({ video }) => {
      noteVideo(video);
    },
    advice: 'Log in again with a key that may read videos.',
  });

/** A video as an event, or the response to a creation, shows it: replaced where it stands. */
export function noteVideo(video: Video): void {
  replaceIn(video);
  replaceInLists(video);
  addToRun(video);
  readAgainIfRead(timelineQuery(video.id).queryKey);
  if (video.status === 'queued' || isFinished(video)) readAgainIfRead(balanceQuery.queryKey);
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
