import type { Task } from '@gateway/client';
import { follow } from '../gateway/follow.ts';
import { replaced, without, type Rows } from '../gateway/pages.ts';
import { queries } from '../gateway/query-client.ts';
import { createReadAgain } from '../gateway/read-again.ts';
import { operatorWord } from '../gateway/session.ts';
import { operator } from './gateway.ts';
import { unfinishedQuery, videoOfAllQuery, videosOfAllKey } from './queries.ts';
import { taskMayFit, type VideoFilter } from './video-filter.ts';

/** Of everybody's videos: much may happen all the time. */
const { readAgain, readAgainIfRead } = createReadAgain(5_000);

/** Keeps what has been read of all videos up to date. */
export const followAll = (signal: AbortSignal): Promise<void> =>
  follow(signal, {
    open: (options) => operator.events(options),
    note: ({ task }) => {
      noteTask(task);
    },
    advice: 'Log in again.',
  });

function noteTask(task: Task): void {
  changeLists(task);
  readAgainIfRead(unfinishedQuery.queryKey);
  readAgainIfRead(videoOfAllQuery(task.id).queryKey);
}

/** A row changes where it stands; a list that does not show the video is read again if it may have to. */
function changeLists(task: Task): void {
  const lists = queries.getQueryCache().findAll({ queryKey: [operatorWord, videosOfAllKey] });
  for (const { queryKey, state } of lists) {
    const known = state.data as Rows<Task> | undefined;
    if (known === undefined) continue;
    const filter = queryKey[2] as VideoFilter;
    const fits = taskMayFit(filter, task);
    const changed = replaced(known, task.id, (one) => newerOf(one, task));
    if (changed !== known) {
      queries.setQueryData(queryKey, fits ? changed : without(changed, task.id));
    } else if (fits) readAgain(queryKey);
  }
}

const ranks: Readonly<Partial<Record<Task['status'], number>>> = { queued: 0, running: 1 };
const rankOf = ({ status }: Task): number => ranks[status] ?? 2;

/** Events may come late: no video goes back to where it was. */
const newerOf = (known: Task, task: Task): Task => (rankOf(task) < rankOf(known) ? known : task);
