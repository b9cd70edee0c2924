import { setTimeout as delay } from 'node:timers/promises';
import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createVendorClient, type SendOutcome, type VendorRequest } from '../http.ts';
import type {
  CancelOutcome,
  FindOutcome,
  PollManyOutcome,
  PollOutcome,
  ProviderConnection,
  SubmitOutcome,
  VideoProvider,
} from '../port.ts';
import { known } from '../vendor-value.ts';
import {
  readListAnswer,
  readManyAnswer,
  readPollAnswer,
  readSubmitAnswer,
  type ArkListItem,
  type ArkListPage,
} from './answer.ts';
import { arkCapabilities } from './bounds.ts';
import { arkRequestBody } from './request.ts';

const pageSize = 100;
const maxPages = 20;
/** How far the vendor's clock may be behind ours. */
const clockMarginMs = 300_000;

/**
 * Usual servers and proxies take 8,192 characters of a request line; the method, the path before
 * the query and the version need some too.
 */
const maxQueryCharacters = 7_800;
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
  return {
    capabilities: arkCapabilities,
    async submit(submission, signal): Promise<SubmitOutcome> {
      const sent = await client.sendOnce(
        {
          method: 'POST',
          url: tasksUrl,
          headers,
          body: arkRequestBody(submission),
          connection: 'fresh',
        },
        signal,
      );
      if (sent.kind === 'answered') return readSubmitAnswer(sent);
      return {
        kind: sent.kind === 'not_sent' ? 'not_sent' : 'unknown',
        detail: sent.detail,
      };
    },
    poll: (vendorTaskId, signal) => pollTask(send, vendorTaskId, signal),
    pollMany: {
      maxIds,
      perSecond: 1_000 / pace.listPauseMs,
      poll: (vendorTaskIds, signal) => pollTasks(send, vendorTaskIds, signal),
    },
    find: ({ correlation, since }, signal) =>
      findTask({ send, ...pace, correlation, oldestMs: since.getTime() - clockMarginMs }, signal),
    cancel: (vendorTaskId, signal) => cancelTask(send, vendorTaskId, signal),
  };
}

async function pollTask(
  send: Send,
  vendorTaskId: string,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const sent = await send('GET', `/${encodeURIComponent(vendorTaskId)}`, signal);
  return sent.kind === 'answered'
    ? readPollAnswer(sent, vendorTaskId)
    : { kind: 'error', detail: sent.detail };
}

async function pollTasks(
  send: Send,
  vendorTaskIds: readonly string[],
  signal: AbortSignal,
): Promise<PollManyOutcome> {
  let query = `?page_num=1&page_size=${Math.min(vendorTaskIds.length, maxIds)}`;
  const asked: string[] = [];
  for (const id of vendorTaskIds.slice(0, maxIds)) {
    const more = `&filter.task_ids=${encodeURIComponent(id)}`;
    if (query.length + more.length > maxQueryCharacters) break;
    query += more;
    asked.push(id);
  }
  const sent = await send('GET', query, signal);
  return sent.kind === 'answered'
    ? readManyAnswer(sent, asked)
    : { kind: 'error', detail: sent.detail };
}

function cancelTask(send: Send, vendorTaskId: string, signal: AbortSignal): Promise<CancelOutcome> {
  return cancelWhileQueued({
    poll: () => pollTask(send, vendorTaskId, signal),
    remove: () => send('DELETE', `/${encodeURIComponent(vendorTaskId)}`, signal),
  });
}

interface Search {
  readonly send: Send;
  readonly listPauseMs: number;
  readonly correlation: string;
  readonly oldestMs: number;
}

/**
 * Reads the list, newest first, back to the time of the submission. Tasks that arrive meanwhile
 * move others to a later page, so ids are counted once.
 */
async function findTask(
  { send, listPauseMs, correlation, oldestMs }: Search,
  signal: AbortSignal,
): Promise<FindOutcome> {
  const matches = new Set<string>();
  let seenItems = 0;
  for (let page = 1; page <= maxPages; page++) {
    // An abort ends the pause; the request that follows then answers for it.
    if (page > 1) await delay(listPauseMs, undefined, { signal }).catch(() => undefined);
    const sent = await send('GET', `?page_num=${page}&page_size=${pageSize}`, signal);
    if (sent.kind !== 'answered') return { kind: 'error', detail: sent.detail };
    const list = readListAnswer(sent);
    if (list.kind === 'error') {
      return { kind: 'error', detail: list.detail, ...known({ retryAfterMs: list.retryAfterMs }) };
    }
    for (const item of list.items) {
      if (item.correlation === correlation) matches.add(item.vendorTaskId);
    }
    seenItems += list.itemCount;
    if (isLastPage(list, seenItems) || endsBefore(list.items, oldestMs)) return verdict(matches);
  }
  return matches.size > 0
    ? verdict(matches)
    : {
        kind: 'error',
        detail: `not among the newest ${seenItems} tasks, and there are more since the submission`,
      };
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
