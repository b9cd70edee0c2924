import { cancelWhileQueued } from '../cancel-while-queued.ts';
import { createJsonCalls } from '../json-calls.ts';
import type { PollOutcome, ProviderConnection, VideoProvider } from '../port.ts';
import { googleOmniCapabilities } from './bounds.ts';
import { googleOmniRequestBody } from './request.ts';
import { cancelFormat, readFileIn, readPollResponse, readSubmitResponse } from './response.ts';

/** A response may hold a video, of 4 MB or a little more, in base64. */
const maxResponseBytes = 16 * 1_048_576;

export const headersOf = (apiKey: string): { readonly 'x-goog-api-key': string } => ({
  'x-goog-api-key': apiKey,
});

/**
 * Google's Interactions API for videos; `baseUrl` ends in `/v1beta`. It has no list, so a submission
 * whose response was lost cannot be found. Files need the key, or are part of a response.
 */
export function createGoogleOmniProvider(connection: ProviderConnection): VideoProvider {
  const headers = headersOf(connection.apiKey);
  const calls = createJsonCalls(connection, headers, { maxResponseBytes });
  const root = connection.baseUrl.replace(/\/+$/, '');
  const pathOf = (vendorTaskId: string): string =>
    `/interactions/${encodeURIComponent(vendorTaskId)}`;
  const poll = (vendorTaskId: string, signal: AbortSignal): Promise<PollOutcome> => {
    const path = pathOf(vendorTaskId);
    return calls.ask(
      path,
      (response) => readPollResponse(response, { vendorTaskId, url: `${root}${path}` }),
      signal,
    );
  };
  return {
    capabilities: googleOmniCapabilities,
    fileHeaders: headers,
    submit: (submission, signal) =>
      calls.create(
        { path: '/interactions', body: googleOmniRequestBody(submission) },
        readSubmitResponse,
        signal,
      ),
    poll,
    readFile: (vendorTaskId, signal) => calls.ask(pathOf(vendorTaskId), readFileIn, signal),
    cancel: (vendorTaskId, signal) =>
      cancelWhileQueued({
        poll: () => poll(vendorTaskId, signal),
        remove: () =>
          calls.send({ method: 'POST', path: `${pathOf(vendorTaskId)}/cancel` }, signal),
        format: cancelFormat,
        cancellable: ['queued', 'in_progress'],
      }),
  };
}
