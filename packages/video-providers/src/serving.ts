import { createVendorClient, describeResponse, type SendOutcome } from './http.ts';
import type { ProviderConnection, ServingOutcome, VideoProvider } from './port.ts';
import { isSuccess } from './refusal.ts';
import { readRecord } from './vendor-value.ts';
import type { CredentialCheck } from './vendor.ts';

/** With which the vendor, or something in front of it, refuses whoever asks with our key. */
const refusesUs: ReadonlySet<number> = new Set([401, 402, 403, 407]);

/**
 * Whether a vendor serves this account, by its response to the doctor's question. A refusal of the
 * question itself (a 404 of a host that has no list, a 429) says nothing against it.
 */
export function readServing(sent: SendOutcome, refusals: readonly number[] = []): ServingOutcome {
  if (sent.kind !== 'responded') return { kind: 'unanswered', detail: sent.detail };
  const { status, json } = sent;
  const isPage = isSuccess(status) && readRecord(json) === undefined;
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = refusesUs.has(status) || refusals.includes(status);
  if (status >= 500) return { kind: 'unanswered', detail: describeResponse(sent) };
  return isPage || isRedirect || isRefusal
    ? { kind: 'not_serving', detail: describeResponse(sent) }
    : { kind: 'serving' };
}

/** Asks the doctor's question, once, never repeated. */
export function createAskServing(
  { path, headers, refusals }: CredentialCheck,
  { baseUrl, apiKey, timeoutMs, openClient = createVendorClient }: ProviderConnection,
): NonNullable<VideoProvider['askServing']> {
  const client = openClient({ timeoutMs, secret: apiKey });
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  return async (signal) =>
    readServing(
      await client.sendOnce({ method: 'GET', url, headers, connection: 'fresh' }, signal),
      refusals,
    );
}
