import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createJsonCalls } from '../json-calls.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { dashscopeCapabilities } from './bounds.ts';
import { dashscopeRequestBody } from './request.ts';
import { cancelFormat, readPollResponse, readSubmitResponse } from './response.ts';

const creationPath = '/services/aigc/video-generation/video-synthesis';
/** Without it the vendor refuses: it makes no video while the caller waits. */
const asynchronous = { 'x-dashscope-async': 'enable' };

/**
 * Alibaba's Model Studio, on any of its hosts: `baseUrl` ends in `/api/v1`. It takes no name of ours,
 * so a submission whose response was lost cannot be found.
 */
export function createDashscopeProvider(connection: ProviderConnection): VideoProvider {
  const calls = createJsonCalls(connection, { authorization: `Bearer ${connection.apiKey}` });
  const pathOf = (vendorTaskId: string): string => `/tasks/${encodeURIComponent(vendorTaskId)}`;
  const poll = (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> =>
    calls.ask(pathOf(vendorTaskId), (response) => readPollResponse(response, vendorTaskId), signal);
  return {
    capabilities: dashscopeCapabilities,
    submit: (submission, signal) =>
      calls.create(
        { path: creationPath, headers: asynchronous, body: dashscopeRequestBody(submission) },
        readSubmitResponse,
        signal,
      ),
    poll,
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        remove: () =>
          calls.send({ method: 'POST', path: `${pathOf(vendorTaskId)}/cancel` }, signal),
        format: cancelFormat,
        cancellable: ['pending'],
      }),
  };
}
