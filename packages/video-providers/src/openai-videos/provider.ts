import { createVendorClient } from '../http.ts';
import type { PollOutcome, ProviderConnection, SubmitOutcome, VideoProvider } from '../port.ts';
import { sendCreation } from '../submit.ts';
import { readPollResponse, readSubmitResponse } from './response.ts';
import { openaiVideosCapabilities } from './bounds.ts';
import { openaiVideosForm } from './request.ts';

/**
 * The OpenAI `/v1/videos` format, which many hosts speak: `baseUrl` ends in `/v1`. No `find`: a
 * video carries nothing of ours, and a prompt and a time of creation do not tell a lost submission
 * from another task with the same prompt, so that its video might be handed to the wrong customer.
 * A lost response ends as submission_unknown.
 */
export function createOpenaiVideosProvider({
  baseUrl,
  apiKey,
  timeoutMs,
  openClient = createVendorClient,
}: ProviderConnection): VideoProvider {
  const client = openClient({ timeoutMs, secret: apiKey });
  const videosUrl = `${baseUrl.replace(/\/+$/, '')}/videos`;
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    capabilities: openaiVideosCapabilities,
    fileHeaders: headers,
    async submit(submission, signal): Promise<SubmitOutcome> {
      const written = openaiVideosForm(submission);
      if (!written.ok) {
        return { kind: 'refused', failure: 'invalid_request', detail: written.detail };
      }
      return sendCreation(
        client,
        { url: videosUrl, headers, form: written.form },
        { read: readSubmitResponse, signal },
      );
    },
    async poll(vendorTaskId, signal): Promise<PollOutcome> {
      const url = `${videosUrl}/${encodeURIComponent(vendorTaskId)}`;
      const sent = await client.sendOnce(
        { method: 'GET', url, headers, connection: 'kept' },
        signal,
      );
      if (sent.kind !== 'responded') return { kind: 'error', detail: sent.detail };
      return readPollResponse(sent, {
        vendorTaskId,
        contentUrl: `${url}/content`,
        nowMs: Date.now(),
      });
    },
    // DELETE is no way round it: it is for what has ended, and takes the file with it.
    cancel: () =>
      Promise.resolve({ kind: 'not_cancellable', detail: 'the format has no cancellation' }),
  };
}
