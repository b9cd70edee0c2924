import type { SendOutcome, VendorClient, VendorRequest, VendorResponse } from './http.ts';
import type { SubmitOutcome } from './port.ts';

/**
 * The one request that creates a task. Without a response it is known only whether it was sent.
 */
export async function sendCreation(
  client: VendorClient,
  request: Omit<VendorRequest, 'method' | 'connection'>,
  { read, signal }: { read: (response: VendorResponse) => SubmitOutcome; signal: AbortSignal },
): Promise<SubmitOutcome> {
  const sent: SendOutcome = await client.sendOnce(
    { ...request, method: 'POST', connection: 'fresh' },
    signal,
  );
  if (sent.kind === 'responded') return read(sent);
  return { kind: sent.kind === 'not_sent' ? 'not_sent' : 'unknown', detail: sent.detail };
}
