import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createVendorClient } from '../http.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { sendCreation } from '../submit.ts';
import { cancelFormat, readPollResponse, readSubmitResponse } from './response.ts';
import { minimaxCapabilities } from './bounds.ts';
import { minimaxRequestBody } from './request.ts';

/**
 * The second MiniMax video interface (H3), on either of its hosts: `baseUrl` is the host, without
 * `/v2`. It takes no name of ours and its list shows none, so a submission whose response was lost
 * cannot be found.
 */
export function createMiniMaxProvider({
  baseUrl,
  apiKey,
  timeoutMs,
  openClient = createVendorClient,
}: ProviderConnection): VideoProvider {
  const client = openClient({ timeoutMs, secret: apiKey });
  const root = `${baseUrl.replace(/\/+$/, '')}/v2`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const poll = async (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> => {
    const sent = await client.sendOnce(
      {
        method: 'GET',
        url: `${root}/query/video_generation/${encodeURIComponent(vendorTaskId)}`,
        headers,
        connection: 'kept',
      },
      signal,
    );
    return sent.kind === 'responded'
      ? readPollResponse(sent, vendorTaskId)
      : { kind: 'error', detail: sent.detail };
  };
  return {
    capabilities: minimaxCapabilities,
    submit: (submission, signal) =>
      sendCreation(
        client,
        { url: `${root}/video_generation`, headers, body: minimaxRequestBody(submission) },
        { read: readSubmitResponse, signal },
      ),
    poll,
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        format: cancelFormat,
        remove: () =>
          client.sendOnce(
            {
              method: 'DELETE',
              url: `${root}/video_generation/${encodeURIComponent(vendorTaskId)}`,
              headers,
              connection: 'kept',
            },
            signal,
          ),
      }),
  };
}
