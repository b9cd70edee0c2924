import { createJsonCalls } from '../json-calls.ts';
import type { ProviderConnection, VideoProvider } from '../port.ts';
import { xaiCapabilities } from './bounds.ts';
import { xaiRequestBody } from './request.ts';
import { readPollResponse, readSubmitResponse } from './response.ts';

/**
 * The video interface of xAI; `baseUrl` ends in `/v1`. It has no list, and neither cancels nor
 * deletes, so a submission whose response was lost cannot be found.
 */
export function createXaiProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, { authorization: `Bearer ${connection.apiKey}` });
  return {
    capabilities: xaiCapabilities,
    submit: (submission, signal) =>
      calls.create(
        { path: '/videos/generations', body: xaiRequestBody(submission) },
        readSubmitResponse,
        signal,
      ),
    poll: (vendorTaskId, signal) =>
      calls.ask(`/videos/${encodeURIComponent(vendorTaskId)}`, readPollResponse, signal),
    cancel: () =>
      Promise.resolve({ kind: 'not_cancellable', detail: 'the vendor has no cancellation' }),
  };
}
