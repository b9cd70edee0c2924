import { queryOptions } from '@tanstack/react-query';
import type {
  Account,
  AccountEntry,
  AccountKey,
  Exposure,
  ExposureFilter,
  OperatorAction,
  OperatorAttempt,
  OperatorCallback,
  OperatorCallbackFilter,
  Task,
  TaskDetail,
} from '@gateway/client';
import type { ListQuery } from '../gateway/list-query.ts';
import { only } from '../gateway/pages.ts';
import { unlessRefused } from '../gateway/polling.ts';
import { operatorWord } from '../gateway/session.ts';
import { accountFits } from './account-search.ts';
import { operator } from './gateway.ts';
import { taskFits, type VideoFilter } from './video-filter.ts';

/** Events tell what becomes of videos. These are for what no event tells: a deadline that passes. */
const videosEveryMs = 30_000;
/** No event tells of anything else, so what is shown is read again. */
const standingEveryMs = 5_000;
const listEveryMs = 10_000;
const booksEveryMs = 60_000;

interface Polled {
  readonly state: { readonly error: Error | null };
}
const every =
  (ms: number) =>
  ({ state }: Polled): number | false =>
    unlessRefused(state.error, ms);

/** Unfinished videos, those that were made first before all others. */
export const unfinishedQuery = queryOptions({
  queryKey: [operatorWord, 'unfinished'],
  queryFn: async ({ signal }) => {
    const [queued, running, stuck] = await Promise.all([
      operator.videos.oldest({ status: 'queued' }, { signal }),
      operator.videos.oldest({ status: 'running' }, { signal }),
      operator.videos.oldest({ stuck: 'true' }, { signal }),
    ]);
    return { queued, running, stuck };
  },
  refetchInterval: every(videosEveryMs),
});

/** How providers, services and replicas stand now. */
export const statusQuery = queryOptions({
  queryKey: [operatorWord, 'status'],
  queryFn: ({ signal }) => operator.status({ signal }),
  refetchInterval: every(standingEveryMs),
});

export const queuesQuery = queryOptions({
  queryKey: [operatorWord, 'queues'],
  queryFn: ({ signal }) => operator.queues({ signal }),
  refetchInterval: every(standingEveryMs),
});

export const goneRoutesQuery = queryOptions({
  queryKey: [operatorWord, 'gone'],
  queryFn: ({ signal }) => operator.goneRoutes({ signal }),
  refetchInterval: every(listEveryMs),
});

/** Looks through all books, so it is asked for seldom. */
export const booksQuery = queryOptions({
  queryKey: [operatorWord, 'books'],
  queryFn: ({ signal }) => operator.verifyBilling({ signal }),
  refetchInterval: every(booksEveryMs),
});

export const marginQuery = (period: { readonly from?: string; readonly to?: string }) =>
  queryOptions({
    queryKey: [operatorWord, 'margin', period],
    queryFn: ({ signal }) => operator.margin(period, { signal }),
    staleTime: booksEveryMs,
  });

export const exposuresList = (filter: ExposureFilter): ListQuery<Exposure> => ({
  queryKey: [operatorWord, 'exposures', filter],
  open: (options) => operator.exposures(filter, options),
  everyMs: listEveryMs,
});

/** The word that the lists of videos share, before their filter. */
export const videosOfAllKey = 'videos';

export const videosOfAll = ({ asked, sifted }: VideoFilter): ListQuery<Task> => ({
  queryKey: [operatorWord, videosOfAllKey, { asked, sifted }],
  open: only((options) => operator.videos.list(asked, options), taskFits(sifted)),
  everyMs: videosEveryMs,
});

const isOver = ({ status }: TaskDetail): boolean => status !== 'queued' && status !== 'running';

export const videoOfAllQuery = (id: string) =>
  queryOptions({
    queryKey: [operatorWord, 'video', id],
    queryFn: ({ signal }) => operator.videos.get(id, { signal }),
    refetchInterval: ({ state }) =>
      unlessRefused(
        state.error,
        state.data !== undefined && isOver(state.data) ? listEveryMs : 2_000,
      ),
  });

export const attemptsList = (id: string): ListQuery<OperatorAttempt> => ({
  queryKey: [operatorWord, 'attempts', id],
  open: (options) => operator.videos.callbacks(id, options),
  everyMs: standingEveryMs,
});

export const callbacksOfAll = (filter: OperatorCallbackFilter): ListQuery<OperatorCallback> => ({
  queryKey: [operatorWord, 'callbacks', filter],
  open: (options) => operator.callbacks.list(filter, options),
  everyMs: listEveryMs,
});

export const accountsList = (words: string): ListQuery<Account> => ({
  queryKey: [operatorWord, 'accounts', words],
  open: only((options) => operator.accounts.list(options), accountFits(words)),
  everyMs: listEveryMs,
});

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: [operatorWord, 'account', id],
    queryFn: ({ signal }) => operator.accounts.get(id, { signal }),
    refetchInterval: every(listEveryMs),
  });

export const keysList = (id: string): ListQuery<AccountKey> => ({
  queryKey: [operatorWord, 'keys', id],
  open: (options) => operator.accounts.keys(id, options),
});

export const ledgerList = (id: string): ListQuery<AccountEntry> => ({
  queryKey: [operatorWord, 'ledger', id],
  open: (options) => operator.accounts.ledger(id, options),
  everyMs: listEveryMs,
});

export const accountUsageQuery = (id: string) =>
  queryOptions({
    queryKey: [operatorWord, 'usage', id],
    queryFn: ({ signal }) => operator.accounts.usage(id, {}, { signal }),
  });

export const journalList = (account: string | undefined): ListQuery<OperatorAction> => ({
  queryKey: [operatorWord, 'journal', account],
  open: (options) => operator.journal(account === undefined ? {} : { account }, options),
  everyMs: listEveryMs,
});
