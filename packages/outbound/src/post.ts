import type { IncomingHttpHeaders } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { createDeadline } from './deadline.ts';
import { throwFaultOfEgressProxy } from './egress-proxy.ts';
import { sendRequest, usableUrl, type OutboundRule } from './send-request.ts';
import { toOutboundError, type OutboundFailure } from './outbound-error.ts';

/**
 * Milliseconds. `connectMs` is for all addresses of the name together; `totalMs` covers everything
 * up to the last byte read.
 */
export interface PostTimeouts {
  readonly lookupMs: number;
  readonly connectMs: number;
  readonly tlsMs: number;
  readonly responseMs: number;
  readonly totalMs: number;
}

export const defaultPostTimeouts: PostTimeouts = {
  lookupMs: 2_000,
  connectMs: 3_000,
  tlsMs: 5_000,
  responseMs: 10_000,
  totalMs: 15_000,
};
const defaultMaxResponseBytes = 64 * 1024;

export interface PostRequest {
  readonly url: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<PostTimeouts>;
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignal;
}

export type PostFailure = Exclude<
  OutboundFailure,
  'too_large' | 'http_status' | 'too_many_redirects' | 'timeout_idle'
>;

export type PostOutcome =
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The first `maxResponseBytes` of the response, or less when the body broke off. */
      readonly body: Uint8Array;
      readonly durationMs: number;
      /** For the operator's log only. */
      readonly remoteAddress: string;
    }
  | {
      readonly kind: 'failed';
      readonly class: PostFailure;
      /** A sentence for the customer, without resolved addresses. */
      readonly detail: string;
      readonly durationMs: number;
      /** With `blocked_address`: what was refused, for the operator's log only. */
      readonly blockedAddress?: string;
    };

/**
 * Posts once: no retry, no redirect. Whatever the network does is an outcome, decided at the status
 * line, so that a broken or endless body never turns a success into a failure. Throws only what is
 * not the receiver's doing: the reason of the caller's own aborted signal, or an EgressProxyError.
 */
export async function post(request: PostRequest, rule: OutboundRule): Promise<PostOutcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const timeouts = { ...defaultPostTimeouts, ...request.timeouts };
  const deadline = createDeadline(timeouts.totalMs, request.signal);
  try {
    const response = await sendRequest({
      method: 'POST',
      url: usableUrl(request.url, rule),
      headers: { 'user-agent': rule.userAgent, ...request.headers },
      body: request.body,
      guard: rule.guard,
      limits: { ...timeouts, signal: deadline.signal },
    });
    const body = await readUpTo(response.body, request.maxResponseBytes ?? defaultMaxResponseBytes);
    return {
      kind: 'responded',
      status: response.status,
      headers: response.headers,
      body,
      durationMs: durationMs(),
      remoteAddress: response.remoteAddress,
    };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    throwFaultOfEgressProxy(thrown);
    const { code, message, blockedAddress } = toOutboundError(thrown);
    return {
      kind: 'failed',
      class: code as PostFailure,
      detail: message,
      durationMs: durationMs(),
      ...(blockedAddress === undefined ? {} : { blockedAddress }),
    };
  } finally {
    deadline.clear();
  }
}

/**
 * The first bytes of the body; the rest is not waited for. How the body ended does not matter here.
 */
function readUpTo(body: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    // copied into: a chunk of one byte costs a hundred as an object of its own
    const kept = Buffer.allocUnsafe(maxBytes);
    let size = 0;
    const finish = (): void => {
      body.destroy();
      resolve(kept.subarray(0, size));
    };
    // also when it is over already: the parser may give up in the turn of the status line
    finished(body, finish);
    body.on('data', (chunk: Buffer) => {
      size += chunk.copy(kept, size);
      if (size >= maxBytes) finish();
    });
  });
}
