import { setTimeout as delay } from 'node:timers/promises';
import type { SendOutcome, VendorRequest } from '../http.ts';
import type { FindOutcome, ListOutcome } from '../port.ts';
import { known } from '../vendor-value.ts';
import { readListResponse, type ArkListItem, type ArkListPage } from './response.ts';

const pageSize = 100;
/** Of those that are read one after the other. */
const maxPages = 20;
/** The vendor takes no higher number. */
const lastPage = 500;
/** So many pages are read before the list is searched for the first one that is old enough. */
const pagesBeforeSearch = 3;

export type Send = (
  method: VendorRequest['method'],
  path: string,
  signal: AbortSignal,
) => Promise<SendOutcome>;

/** What is looked for in the list, which is newest first. */
export interface Search {
  readonly send: Send;
  readonly listPauseMs: number;
  /** Nothing that the vendor created before is looked for. */
  readonly oldestMs: number;
  /** Nor what it created later; undefined: all of it. */
  readonly newestMs?: number | undefined;
}

interface ReadList {
  readonly kind: 'read';
  readonly items: readonly ArkListItem[];
  /** False: there are more of that time than may be read. */
  readonly isComplete: boolean;
}

type Failed = Extract<FindOutcome, { kind: 'error' }>;

export async function findTask(
  search: Search,
  correlation: string,
  signal: AbortSignal,
): Promise<FindOutcome> {
  const list = await readList(search, signal);
  if (list.kind === 'error') return list;
  const matches = new Set(
    list.items
      .filter((item) => item.correlation === correlation)
      .map(({ vendorTaskId }) => vendorTaskId),
  );
  return list.isComplete || matches.size > 0
    ? verdict(matches)
    : { kind: 'out_of_reach', detail: notAll(list.items) };
}

export async function listTasks(search: Search, signal: AbortSignal): Promise<ListOutcome> {
  const list = await readList(search, signal);
  if (list.kind === 'error') return { kind: 'error', detail: list.detail };
  if (!list.isComplete) return { kind: 'error', detail: notAll(list.items) };
  const tasks = new Map(
    list.items.map(({ vendorTaskId, correlation }) => [
      vendorTaskId,
      { vendorTaskId, correlation },
    ]),
  );
  return { kind: 'listed', tasks: [...tasks.values()] };
}

/**
 * Reads the list, newest first, back to a moment. Tasks that arrive meanwhile move others to a
 * later page, so some may come twice. Where the first pages are all too new, it goes on at the first
 * that is not: a busy account has thousands of tasks in between.
 */
async function readList(search: Search, signal: AbortSignal): Promise<ReadList | Failed> {
  const items: ArkListItem[] = [];
  // Unknown once pages were left out: a page may have fewer items than were asked for.
  let seenItems = 0;
  let page = 1;
  for (let read = 1; read <= maxPages && page <= lastPage; read++) {
    const list = await readPage(search, { page, isFirst: read === 1 }, signal);
    if (list.kind === 'error') return list;
    items.push(...list.items);
    seenItems += list.itemCount;
    if (isLastPage(list, seenItems) || endsBefore(list.items, search.oldestMs)) {
      return { kind: 'read', items, isComplete: true };
    }
    page += 1;
    if (read !== pagesBeforeSearch || !isTooNew(list.items, search)) continue;
    const next = await firstOldEnough(search, { from: page, total: list.total }, signal);
    if (typeof next !== 'number') return next;
    if (next > page) [page, seenItems] = [next, NaN];
  }
  return { kind: 'read', items, isComplete: false };
}

async function readPage(
  { send, listPauseMs }: Search,
  { page, isFirst }: { readonly page: number; readonly isFirst: boolean },
  signal: AbortSignal,
): Promise<ArkListPage | Failed> {
  // An abort ends the pause; the request that follows then reports it.
  if (!isFirst) await delay(listPauseMs, undefined, { signal }).catch(() => undefined);
  const sent = await send('GET', `?page_num=${page}&page_size=${pageSize}`, signal);
  if (sent.kind !== 'responded') return { kind: 'error', detail: sent.detail };
  const list = readListResponse(sent);
  return list.kind === 'error'
    ? { kind: 'error', detail: list.detail, ...known({ retryAfterMs: list.retryAfterMs }) }
    : list;
}

/**
 * The first page with a task that is not too new, by halves. Every page before it is too new and stays
 * so, whatever arrives meanwhile. A total that is too small only makes the search end earlier.
 */
async function firstOldEnough(
  search: Search,
  { from, total }: { readonly from: number; readonly total: number },
  signal: AbortSignal,
): Promise<number | Failed> {
  let low = from;
  let high = Math.max(low, Math.min(Math.ceil(total / pageSize), lastPage));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const list = await readPage(search, { page: middle, isFirst: false }, signal);
    if (list.kind === 'error') return list;
    if (isTooNew(list.items, search)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isTooNew = (items: readonly ArkListItem[], { newestMs = Infinity }: Search): boolean =>
  (items.at(-1)?.createdAtMs ?? -Infinity) > newestMs;

/** A short page alone is not the end: the vendor may give fewer than were asked for. */
const isLastPage = ({ itemCount, total }: ArkListPage, seenItems: number): boolean =>
  itemCount === 0 || (itemCount < pageSize && seenItems >= total);

const endsBefore = (items: readonly ArkListItem[], oldestMs: number): boolean =>
  (items.at(-1)?.createdAtMs ?? Infinity) < oldestMs;

const notAll = (items: readonly ArkListItem[]): string =>
  `not among the ${items.length} tasks that were read, and there are more of that time`;

function verdict(matches: ReadonlySet<string>): FindOutcome {
  const [first, ...others] = matches;
  if (first === undefined) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'found', vendorTaskId: first }
    : { kind: 'several', vendorTaskIds: [first, ...others] };
}
