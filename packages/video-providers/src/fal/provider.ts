import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createJsonCalls } from '../json-calls.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { falCapabilities } from './bounds.ts';
import { falCall } from './request.ts';
import {
  cancelFormat,
  readResultResponse,
  readStatusResponse,
  readSubmitResponse,
} from './response.ts';
import { pathOf, readTaskId } from './task-id.ts';

/**
 * The queue of fal; `baseUrl` is its host. It has no list and takes no name of ours, so a submission
 * whose response was lost cannot be found. The queue would run a failed request again up to ten times
 * on its own, which is told not to: what runs is what was asked for once.
 */
export function createFalProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, { authorization: `Key ${connection.apiKey}` });
  const basePath = new URL(connection.baseUrl).pathname.replace(/\/+$/, '');
  const poll = async (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> => {
    const request = readTaskId(vendorTaskId);
    const path = pathOf(request);
    const seen = await calls.ask(
      `${path}/status`,
      (response) => readStatusResponse(response, request.requestId),
      signal,
    );
    return seen.kind === 'completed'
      ? calls.ask(path, (response) => readResultResponse(response, seen.error), signal)
      : seen;
  };
  return {
    capabilities: falCapabilities,
    async submit(submission, signal) {
      const call = falCall(submission);
      if (!call.ok) return { kind: 'refused', failure: 'invalid_request', detail: call.detail };
      const headers = {
        'x-fal-no-retry': '1',
        'x-fal-request-timeout': String(Math.ceil(submission.expiresAfterSeconds)),
      };
      return calls.create(
        { ...call, headers },
        (response) => readSubmitResponse(response, { endpointPath: call.path, basePath }),
        signal,
      );
    },
    poll,
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        remove: () =>
          calls.send({ method: 'PUT', path: `${pathOf(readTaskId(vendorTaskId))}/cancel` }, signal),
        format: cancelFormat,
        cancellable: ['in_queue'],
      }),
  };
}
