import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createVendorClient } from '../http.ts';
import type {
  CancelOutcome,
  PollManyOutcome,
  PollOutcome,
  ProviderConnection,
  VideoProvider,
} from '../port.ts';
import { queryOfIds } from '../poll-many.ts';
import { sendCreation } from '../submit.ts';
import {
  cancelFormat,
  readManyResponse,
  readPollResponse,
  readSubmitResponse,
} from './response.ts';
import { arkCapabilities } from './bounds.ts';
import { arkRequestBody } from './request.ts';
import { findTask, listTasks, type Search, type Send } from './task-list.ts';

/** How far the vendor's clock may be from ours. */
const clockMarginMs = 300_000;
/** How long after it was given up here a creation may still take effect there. */
const lateMs = 300_000;

/** As many ids of the usual 24 characters as fit, each with its key; a page may have 500. */
const maxIds = 180;

export interface ArkPace {
  /** Ark allows one listing a second for an account. */
  readonly listPauseMs: number;
}

/**
 * The Ark contents-generation format (Seedance), on either of its hosts: `baseUrl` ends in
 * `/api/v3`.
 */
export function createArkProvider(
  { baseUrl, apiKey, timeoutMs, openClient = createVendorClient }: ProviderConnection,
  pace: ArkPace = { listPauseMs: 1_000 },
): VideoProvider {
  const client = openClient({ timeoutMs, secret: apiKey });
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
    find: ({ correlation, since }, signal) =>
      findTask(
        { ...backTo(since), newestMs: since.getTime() + timeoutMs + lateMs + clockMarginMs },
        correlation,
        signal,
      ),
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
