import { setTimeout as delay } from 'node:timers/promises';
import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createVendorClient, type SendOutcome, type VendorRequest } from '../http.ts';
import type {
  CancelOutcome,
  FindOutcome,
  ListOutcome,
  PollManyOutcome,
  PollOutcome,
  ProviderConnection,
  VideoProvider,
} from '../port.ts';
import { queryOfIds } from '../poll-many.ts';
import { sendCreation } from '../submit.ts';
import { known } from '../vendor-value.ts';
import {
  cancelFormat,
  readListResponse,
  readManyResponse,
  readPollResponse,
  readSubmitResponse,
  type ArkListItem,
  type ArkListPage,
} from './response.ts';
import { arkCapabilities } from './bounds.ts';
import { arkRequestBody } from './request.ts';

const pageSize = 100;
const maxPages = 20;
/** How far the vendor's clock may be behind ours. */
const clockMarginMs = 300_000;

/** As many ids of the usual 24 characters as fit, each with its key; a page may have 500. */
const maxIds = 180;

export interface ArkPace {
  /** Ark allows one listing a second for an account. */
  readonly listPauseMs: number;
}

type Send = (
  method: VendorRequest['method'],
  path: string,
  signal: AbortSignal,
) => Promise<SendOutcome>;

/**
 * The Ark contents-generation format (Seedance), on either of its hosts: `baseUrl` ends in
 * `/api/v3`.
 */
export function createArkProvider(
  { baseUrl, apiKey, timeoutMs }: ProviderConnection,
  pace: ArkPace = { listPauseMs: 1_000 },
): VideoProvider {
  const client = createVendorClient({ timeoutMs, secret: apiKey });
  const tasksUrl = `${baseUrl.replace(/\/+$/, '')}/contents/generations/tasks`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const send: Send = (method, path, signal) =>
    client.sendOnce({ method, url: `${tasksUrl}${path}`, headers, connection: 'kept' }, signal);
  const backTo = (since: Date): Search => ({
    send,
    ...pace,
    oldestMs: since.getTime() - clockMarginMs,
  });
  return {
    capabilities: arkCapabilities,
    submit: (submission, signal) =>
      sendCreation(
        client,
        { url: tasksUrl, headers, body: arkRequestBody(submission) },
        { read: readSubmitResponse, signal },
      ),
    poll: (vendorTaskId, signal) => pollTask(send, vendorTaskId, signal),
    pollMany: {
      maxIds,
      perSecond: 1_000 / pace.listPauseMs,
      poll: (vendorTaskIds, signal) => pollTasks(send, vendorTaskIds, signal),
    },
    find: ({ correlation, since }, signal) => findTask(backTo(since), correlation, signal),
    list: ({ since }, signal) => listTasks(backTo(since), signal),
    cancel: (vendorTaskId, signal) => cancelTask(send, vendorTaskId, signal),
  };
}

async function pollTask(
  send: Send,
  vendorTaskId: string,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const sent = await send('GET', `/${encodeURIComponent(vendorTaskId)}`, signal);
  return sent.kind === 'responded'
    ? readPollResponse(sent, vendorTaskId)
    : { kind: 'error', detail: sent.detail };
}

async function pollTasks(
  send: Send,
  vendorTaskIds: readonly string[],
  signal: AbortSignal,
): Promise<PollManyOutcome> {
  const { query, asked } = queryOfIds(vendorTaskIds, {
    start: `?page_num=1&page_size=${Math.min(vendorTaskIds.length, maxIds)}`,
    maxIds,
    write: (id) => `&filter.task_ids=${id}`,
  });
  const sent = await send('GET', query, signal);
  return sent.kind === 'responded'
    ? readManyResponse(sent, asked)
    : { kind: 'error', detail: sent.detail };
}

function cancelTask(send: Send, vendorTaskId: string, signal: AbortSignal): Promise<CancelOutcome> {
  return cancelWhileQueued({
    poll: () => pollTask(send, vendorTaskId, signal),
    format: cancelFormat,
    remove: () => send('DELETE', `/${encodeURIComponent(vendorTaskId)}`, signal),
  });
}

interface Search {
  readonly send: Send;
  readonly listPauseMs: number;
  readonly oldestMs: number;
}

interface ReadList {
  readonly kind: 'read';
  readonly items: readonly ArkListItem[];
  /** False: there are more since then than may be read. */
  readonly isComplete: boolean;
}

/**
 * Reads the list, newest first, back to a moment. Tasks that arrive meanwhile move others to a
 * later page, so some may come twice.
 */
async function readList(
  { send, listPauseMs, oldestMs }: Search,
  signal: AbortSignal,
): Promise<ReadList | Extract<FindOutcome, { kind: 'error' }>> {
  const items: ArkListItem[] = [];
  let seenItems = 0;
  for (let page = 1; page <= maxPages; page++) {
    // An abort ends the pause; the request that follows then reports it.
    if (page > 1) await delay(listPauseMs, undefined, { signal }).catch(() => undefined);
    const sent = await send('GET', `?page_num=${page}&page_size=${pageSize}`, signal);
    if (sent.kind !== 'responded') return { kind: 'error', detail: sent.detail };
    const list = readListResponse(sent);
    if (list.kind === 'error') {
      return { kind: 'error', detail: list.detail, ...known({ retryAfterMs: list.retryAfterMs }) };
    }
    items.push(...list.items);
    seenItems += list.itemCount;
    if (isLastPage(list, seenItems) || endsBefore(list.items, oldestMs)) {
      return { kind: 'read', items, isComplete: true };
    }
  }
  return { kind: 'read', items, isComplete: false };
}

const notAll = (items: readonly ArkListItem[]): string =>
  `not among the newest ${items.length} tasks, and there are more since then`;

async function findTask(
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

async function listTasks(search: Search, signal: AbortSignal): Promise<ListOutcome> {
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

/** A short page alone is not the end: the vendor may give fewer than were asked for. */
const isLastPage = ({ itemCount, total }: ArkListPage, seenItems: number): boolean =>
  itemCount === 0 || (itemCount < pageSize && seenItems >= total);

const endsBefore = (items: readonly ArkListItem[], oldestMs: number): boolean =>
  (items.at(-1)?.createdAtMs ?? Infinity) < oldestMs;

function verdict(matches: ReadonlySet<string>): FindOutcome {
  const [first, ...others] = matches;
  if (first === undefined) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'found', vendorTaskId: first }
    : { kind: 'several', vendorTaskIds: [first, ...others] };
}
