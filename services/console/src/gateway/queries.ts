import {
  isFinished,
  type Model,
  type Video,
  type VideoFilter,
  type VideoMoment,
} from '@gateway/client';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from './client.ts';
import type { ListQuery } from './list-query.ts';
import { unlessRefused } from './polling.ts';
import { inColumns, placeOf } from './runs.ts';

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }): Promise<readonly Model[]> => {
    const models: Model[] = [];
    for await (const model of gateway.models.list({ signal })) models.push(model);
    return models;
  },
  staleTime: 60_000,
});

export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: ({ signal }) => gateway.balance({ signal }),
});

/** Polled only for what no event tells: the position in the queue, and in case events fail. */
const pollEveryMs = (video: Video | undefined): number | false => {
  if (video === undefined || isFinished(video)) return false;
  return video.status === 'queued' ? 2_000 : 5_000;
};

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: ['video', id],
    queryFn: ({ signal }) => gateway.videos.get(id, { signal, include: 'request' }),
    refetchInterval: ({ state }) => unlessRefused(state.error, pollEveryMs(state.data)),
  });

/** Between its end and its charge no event tells of a video. */
const awaitsCharge = (moments: readonly VideoMoment[] = []): boolean =>
  moments.some(({ name }) => name === 'ended') &&
  !moments.some(({ name }) => name === 'charged' || name === 'released');

export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => gateway.videos.timeline(id, { signal }),
    refetchInterval: ({ state }) =>
      unlessRefused(state.error, awaitsCharge(state.data) ? 2_000 : false),
  });

/** The newest finished videos of a model: what they took says how long others will take. */
export const finishedQuery = (model: string) =>
  queryOptions({
    queryKey: ['finished', model],
    queryFn: async ({ signal }) => {
      const list = gateway.videos.list({ model, status: 'succeeded' }, { signal, perPage: 50 });
      return (await list.page()).data;
    },
    staleTime: 5 * 60_000,
  });

const attemptsEveryMs = 4_000;

/** The newest attempts to tell of a video. */
export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['attempts', id],
    queryFn: ({ signal }) => gateway.callbacks.list(id, { signal }).page(),
    refetchInterval: ({ state }) => unlessRefused(state.error, attemptsEveryMs),
  });

/** The videos that were made together, in the order of their columns. */
export const runQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run],
    queryFn: async ({ signal }) => inColumns(await videosOfRun(run, signal)),
  });

async function videosOfRun(run: string, signal: AbortSignal): Promise<readonly Video[]> {
  const { filter, columns, mostPages } = placeOf(run);
  const found: Video[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < mostPages && found.length < columns; pages += 1) {
    const list = gateway.videos.list({ ...filter, include: 'request' }, { signal, after });
    const page = await list.page();
    found.push(...page.data);
    if (!page.has_more || page.last_id === null) break;
    after = page.last_id;
  }
  return found;
}

/** Videos of the account, newest first. */
export const videosList = (filter: VideoFilter): ListQuery<Video> => ({
  queryKey: ['videos', filter],
  open: (options) => gateway.videos.list({ ...filter, include: 'request' }, options),
});
