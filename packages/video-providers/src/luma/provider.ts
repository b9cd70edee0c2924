import { createJsonCalls } from '../json-calls.ts';
import type { ProviderConnection, VideoProvider } from '../port.ts';
import { lumaCapabilities } from './bounds.ts';
import { lumaRequestBody } from './request.ts';
import { readPollResponse, readSubmitResponse } from './response.ts';

/**
 * Luma's Agents API; `baseUrl` ends in `/v1`. It has no list, takes no name of ours, and neither
 * cancels nor deletes, so a submission whose response was lost cannot be found.
 */
export function createLumaProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, { authorization: `Bearer ${connection.apiKey}` });
  return {
    capabilities: lumaCapabilities,
    submit: (submission, signal) =>
      calls.create(
        { path: '/generations', body: lumaRequestBody(submission) },
        readSubmitResponse,
        signal,
      ),
    poll: (vendorTaskId, signal) =>
      calls.ask(
        `/generations/${encodeURIComponent(vendorTaskId)}`,
        (response) => readPollResponse(response, vendorTaskId),
        signal,
      ),
    cancel: () =>
      Promise.resolve({ kind: 'not_cancellable', detail: 'the vendor has no cancellation' }),
  };
}
