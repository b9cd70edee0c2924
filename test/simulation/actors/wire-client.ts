import type {
  SendOutcome,
  VendorClient,
  VendorRequest,
} from '../../../packages/video-providers/src/http.ts';
import { readRetryAfterMs } from '../../../packages/video-providers/src/retry-after.ts';
import type { ScriptedResponse, SeenRequest } from '../../contracts/scripted-vendor.ts';

export type Reply = ScriptedResponse | 'not sent' | 'lost';

/** Reaches a vendor without a network; `respond` takes as long as the network would. */
export const wireClient = (respond: (request: SeenRequest) => Promise<Reply>): VendorClient => ({
  sendOnce: async (request) => toOutcome(await respond(seenAs(request))),
});

function seenAs({ method, url, headers, body }: VendorRequest): SeenRequest {
  const { pathname, search } = new URL(url);
  return {
    method,
    path: `${pathname}${search}`,
    headers,
    body: body === undefined ? '' : JSON.stringify(body),
    callerPort: 0,
  };
}

function toOutcome(reply: Reply): SendOutcome {
  if (reply === 'not sent') return { kind: 'not_sent', detail: 'not reached' };
  if (reply === 'lost') return { kind: 'lost', detail: 'no response' };
  const { status, body = '' } = reply;
  const isRaw = typeof body === 'string';
  const headers: Readonly<Record<string, string>> = {
    ...(!isRaw && { 'content-type': 'application/json' }),
    ...reply.headers,
  };
  const text = isRaw ? body : JSON.stringify(body);
  const retryAfterMs = readRetryAfterMs(headers['retry-after'], Date.now());
  return {
    kind: 'responded',
    status,
    headers,
    json: parsed(text),
    text,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
