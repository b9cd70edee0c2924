import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createJsonCalls } from '../json-calls.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { runwayCapabilities } from './bounds.ts';
import { runwayCall } from './request.ts';
import {
  cancelFormat,
  cancellableStatuses,
  readPollResponse,
  readSubmitResponse,
} from './response.ts';
import { headersOf } from './version.ts';

/**
 * Runway's developer interface; `baseUrl` is the host, without `/v1`. It has no list and takes no
 * name of ours, so a submission whose response was lost cannot be found.
 */
export function createRunwayProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, headersOf(connection.apiKey));
  const pathOf = (vendorTaskId: string): string => `/v1/tasks/${encodeURIComponent(vendorTaskId)}`;
  const poll = (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> =>
    calls.ask(pathOf(vendorTaskId), (response) => readPollResponse(response, vendorTaskId), signal);
  return {
    capabilities: runwayCapabilities,
    async submit(submission, signal) {
      const call = runwayCall(submission);
      return call.ok
        ? calls.create(call, readSubmitResponse, signal)
        : { kind: 'refused', failure: 'invalid_request', detail: call.detail };
    },
    poll,
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        remove: () => calls.send({ method: 'DELETE', path: pathOf(vendorTaskId) }, signal),
        format: cancelFormat,
        cancellable: cancellableStatuses,
      }),
  };
}
