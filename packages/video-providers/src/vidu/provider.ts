import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createJsonCalls } from '../json-calls.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { viduCapabilities } from './bounds.ts';
import { viduRequest } from './request.ts';
import { cancelFormat, readPollResponse, readSubmitResponse } from './response.ts';

/**
 * Vidu's interface; `baseUrl` is the host. What a task was sent with is shown, and cannot be searched
 * for, so a submission whose response was lost cannot be found.
 */
export function createViduProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, { authorization: `Token ${connection.apiKey}` });
  const pathOf = (vendorTaskId: string): string =>
    `/ent/v2/tasks/${encodeURIComponent(vendorTaskId)}`;
  const poll = (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> =>
    calls.ask(
      `${pathOf(vendorTaskId)}/creations`,
      (response) => readPollResponse(response, vendorTaskId),
      signal,
    );
  return {
    capabilities: viduCapabilities,
    submit: (submission, signal) =>
      calls.create(viduRequest(submission), readSubmitResponse, signal),
    poll,
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        remove: () =>
          calls.send({ method: 'POST', path: `${pathOf(vendorTaskId)}/cancel` }, signal),
        format: cancelFormat,
        cancellable: ['created', 'queueing', 'processing'],
      }),
  };
}
