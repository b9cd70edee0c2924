import { createVendorClient, type SendOutcome } from '../http.ts';
import { bearerOf, splitKey } from '../minted-token.ts';
import { queryOfIds } from '../poll-many.ts';
import type { ProviderConnection, VideoProvider } from '../port.ts';
import { sendCreation } from '../submit.ts';
import { klingCapabilities } from './bounds.ts';
import { klingRequest } from './request.ts';
import {
  readFindResponse,
  readManyResponse,
  readPollResponse,
  readSubmitResponse,
} from './response.ts';

/** The vendor does not say how many it takes; this many have a short request line. */
const maxIds = 50;
/** Polls count against no limit of the vendor's: this one is ours. */
const batchesPerSecond = 10;

export const klingHeaders = (apiKey: string): { readonly authorization: string } => ({
  authorization: `Bearer ${bearerOf(apiKey)}`,
});

/**
 * Kling's newer interface, with the model in the path: `baseUrl` is the host. Tasks are found by
 * the name that they were sent with. There is no cancellation.
 */
export function createKlingProvider({
  baseUrl,
  apiKey,
  timeoutMs,
  openClient = createVendorClient,
}: ProviderConnection): VideoProvider {
  const { access = '', secret = '' } = splitKey(apiKey) ?? {};
  const client = openClient({ timeoutMs, secret: [apiKey, access, secret] });
  const root = baseUrl.replace(/\/+$/, '');
  const get = (query: string, signal: AbortSignal): Promise<SendOutcome> =>
    client.sendOnce(
      {
        method: 'GET',
        url: `${root}/tasks?${query}`,
        headers: klingHeaders(apiKey),
        connection: 'kept',
      },
      signal,
    );
  return {
    capabilities: klingCapabilities,
    submit(submission, signal) {
      const { path, body } = klingRequest(submission);
      return sendCreation(
        client,
        { url: `${root}${path}`, headers: klingHeaders(apiKey), body },
        { read: readSubmitResponse, signal },
      );
    },
    async poll(vendorTaskId, signal) {
      const sent = await get(`task_ids=${encodeURIComponent(vendorTaskId)}`, signal);
      return sent.kind === 'responded'
        ? readPollResponse(sent, vendorTaskId)
        : { kind: 'error', detail: sent.detail };
    },
    pollMany: {
      maxIds,
      perSecond: batchesPerSecond,
      async poll(vendorTaskIds, signal) {
        const { query, asked } = queryOfIds(vendorTaskIds, {
          start: 'task_ids=',
          maxIds,
          write: (id) => `${id},`,
        });
        const sent = await get(query.replace(/,$/, ''), signal);
        return sent.kind === 'responded'
          ? readManyResponse(sent, asked)
          : { kind: 'error', detail: sent.detail };
      },
    },
    async find({ correlation }, signal) {
      const sent = await get(`external_task_ids=${encodeURIComponent(correlation)}`, signal);
      return sent.kind === 'responded'
        ? readFindResponse(sent, correlation)
        : { kind: 'error', detail: sent.detail };
    },
    cancel: () =>
      Promise.resolve({ kind: 'not_cancellable', detail: 'the vendor has no cancellation' }),
  };
}
