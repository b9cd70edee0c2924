import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGuardedAgents } from './guarded-agent.ts';
import type { ConnectLimits, Guard } from './guarded-connect.ts';
import { OutboundError } from './outbound-error.ts';
import { checkOutboundUrl } from './url-rule.ts';

/** What the operator decided once for every request of a client. */
export interface OutboundRule {
  readonly guard: Guard;
  readonly allowHttp: boolean;
  readonly userAgent: string;
}

/**
 * A stored URL passed its length rule when it was taken; this only bounds what reaches the parser.
 */
const maxUsableUrlLength = 16_384;

/**
 * The create-time rules again: the operator may have closed a range since the URL was taken, and a
 * redirect never passed them.
 */
export function usableUrl(text: string, { allowHttp, guard }: OutboundRule): URL {
  const verdict = checkOutboundUrl(text, {
    allowHttp,
    allowCidrs: guard.allowCidrs,
    maxLength: maxUsableUrlLength,
  });
  if (!verdict.ok) {
    throw new OutboundError('blocked_address', { detail: `the address ${verdict.message}` });
  }
  return verdict.url;
}

export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly guard: Guard;
  readonly limits: ConnectLimits & { readonly responseMs: number };
}

/** A response whose headers have arrived and whose body is still to come. */
export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Exactly the bytes of the wire: nothing is decompressed. */
  readonly body: Readable;
  readonly remoteAddress: string;
}

/** A response's head beyond this is refused by the parser, whatever Node was told at its start. */
const maxHeaderSize = 16_384;
/** 100, 102 and 103 come once or twice; whoever sends more only keeps us busy. */
const maxInterimResponses = 16;

/**
 * Sends one request and waits for the status line; redirects are responses like any other. Rejects
 * with what Node or the guard threw. Node's own client and no library on it: got waits for the end
 * of a body that the parser has given up (measured with an oversized trailer), and then no deadline
 * ends the request.
 */
export function sendRequest({
  method,
  url,
  headers,
  body,
  guard,
  limits,
}: GuardedRequest): Promise<GuardedResponse> {
  let remoteAddress = '';
  const secure = url.protocol === 'https:';
  const agents = createGuardedAgents({
    guard,
    limits,
    onConnected: (address) => {
      remoteAddress = address;
    },
  });
  const request = (secure ? https : http).request(url, {
    method,
    maxHeaderSize,
    insecureHTTPParser: false,
    headers: { ...headers, 'accept-encoding': 'identity' },
    agent: secure ? agents.https : agents.http,
  });
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.destroy(error);
      reject(error);
    };
    endWith(limits.signal, request, fail);
    limitWait(request, limits.responseMs, fail);
    // stays: an error after the status line is the reader's, but must have a listener
    request.on('error', reject);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new OutboundError('invalid_answer'));
    });
    request.once('response', (response) => {
      passErrorsOn(request, response);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: response,
        remoteAddress,
      });
    });
    request.end(body === undefined ? undefined : Buffer.from(body));
  });
}

/** What breaks the connection also breaks the body: the parser tells the request only. */
function passErrorsOn(request: ClientRequest, response: IncomingMessage): void {
  response.on('error', () => undefined); // between the status line and the first reader
  request.on('error', (error) => {
    response.destroy(error);
  });
}

/** Ends the request, its response included, when the signal aborts. */
function endWith(signal: AbortSignal, request: ClientRequest, fail: (error: Error) => void): void {
  const onAbort = (): void => {
    fail(signal.reason as Error);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  request.once('close', () => {
    signal.removeEventListener('abort', onAbort);
  });
}

/** Bounds the wait for the status line, from when the request is on its way. */
function limitWait(request: ClientRequest, responseMs: number, fail: (error: Error) => void): void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let interimResponses = 0;
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  request.once('finish', () => {
    // A response may come before the whole request is sent, and so may the end of the connection.
    if (isOver) return;
    timer = setTimeout(() => {
      fail(new OutboundError('timeout_response'));
    }, responseMs);
  });
  request.once('response', stop).once('close', stop);
  request.on('information', () => {
    interimResponses += 1;
    if (interimResponses > maxInterimResponses) fail(new OutboundError('invalid_answer'));
  });
}
