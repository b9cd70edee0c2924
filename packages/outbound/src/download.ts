import type { IncomingHttpHeaders } from 'node:http';
import { finished, Transform, type Readable } from 'node:stream';
import { createDeadline, type Deadline } from './deadline.ts';
import { throwFaultOfEgressProxy } from './egress-proxy.ts';
import { sendRequest, usableUrl, type GuardedResponse, type OutboundRule } from './send-request.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { defaultPostTimeouts } from './post.ts';

export interface DownloadRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Counted on the bytes that arrive; the announced length is only believed when it is too much.
   */
  readonly maxBytes: number;
  /** From the first name resolution to the last byte, over all redirects. */
  readonly timeoutMs: number;
  /** The longest silence of the sender, before the response and within it. 30 s when left out. */
  readonly idleTimeoutMs?: number;
  /** 3 when left out. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

export interface Download {
  /**
   * The bytes of the wire. Fails with an OutboundError when they are too many, stall or break off;
   * never ends short.
   */
  readonly stream: Readable;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** After redirects. */
  readonly url: string;
}

const defaultIdleTimeoutMs = 30_000;
const defaultMaxRedirects = 3;
const redirectStatuses = [301, 302, 303, 307, 308];
/** What another origin may see of the caller's headers: everything else may be a credential. */
const harmlessHeader =
  /^(user-agent|accept|accept-language|range|if-(none-)?match|if-(un)?modified-since|if-range)$/;

/**
 * Opens a download; every redirect passes all the rules anew. Throws OutboundError before the first
 * byte (any status but 2xx is `http_status`), an EgressProxyError, or the reason of the caller's
 * aborted signal. The stream must be read or destroyed.
 */
export async function download(request: DownloadRequest, rule: OutboundRule): Promise<Download> {
  const deadline = createDeadline(request.timeoutMs, request.signal);
  try {
    const { response, url } = await followRedirects(request, { rule, deadline });
    if (Number(response.headers['content-length'] ?? 0) > request.maxBytes) {
      response.body.destroy();
      throw tooLarge(request.maxBytes);
    }
    const stream = bounded(response.body, request, deadline);
    return { stream, status: response.status, headers: response.headers, url: url.href };
  } catch (thrown) {
    deadline.clear();
    request.signal?.throwIfAborted();
    throwFaultOfEgressProxy(thrown);
    throw toOutboundError(thrown);
  }
}

interface Conditions {
  readonly rule: OutboundRule;
  readonly deadline: Deadline;
}

async function followRedirects(
  request: DownloadRequest,
  { rule, deadline }: Conditions,
): Promise<{ response: GuardedResponse; url: URL }> {
  const { maxRedirects = defaultMaxRedirects, idleTimeoutMs = defaultIdleTimeoutMs } = request;
  const limits = { ...defaultPostTimeouts, responseMs: idleTimeoutMs, signal: deadline.signal };
  let url = usableUrl(withoutFragment(request.url), rule);
  let headers = lowerCased({ 'user-agent': rule.userAgent, ...request.headers });
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendRequest({ method: 'GET', url, headers, guard: rule.guard, limits });
    const location = redirectStatuses.includes(response.status)
      ? response.headers.location
      : undefined;
    if (location === undefined) return { response: successOf(response), url };
    response.body.destroy();
    if (redirects >= maxRedirects) {
      throw new OutboundError('too_many_redirects', {
        detail: `there were more than ${maxRedirects} redirects`,
      });
    }
    const next = usableUrl(
      withoutFragment(redirectTarget(location, url)),
      withoutDowngrade(rule, url),
    );
    headers = next.origin === url.origin ? headers : withoutCredentials(headers);
    url = next;
  }
}

/**
 * A redirect may lead from http to https, never back: what was asked for in secret is not fetched
 * in the open.
 */
const withoutDowngrade = (rule: OutboundRule, from: URL): OutboundRule =>
  from.protocol === 'https:' ? { ...rule, allowHttp: false } : rule;

function successOf(response: GuardedResponse): GuardedResponse {
  if (response.status >= 200 && response.status < 300) return response;
  response.body.destroy();
  throw new OutboundError('http_status', {
    status: response.status,
    detail: `the response was HTTP ${response.status}`,
  });
}

function redirectTarget(location: string, base: URL): string {
  // Node reads headers as latin1, servers write UTF-8
  const text = Buffer.from(location, 'latin1').toString();
  if (!URL.canParse(text, base.href)) {
    throw new OutboundError('invalid_answer', { detail: 'the redirect does not name a URL' });
  }
  return new URL(text, base).href;
}

/** A fragment never goes over the wire; a vendor's link may carry one all the same. */
const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeader.test(name)));

const tooLarge = (maxBytes: number): OutboundError =>
  new OutboundError('too_large', { detail: `the response is larger than ${maxBytes} bytes` });

/**
 * Passes the body on, counting and watching; every way to go wrong becomes an OutboundError of the
 * returned stream.
 */
function bounded(body: Readable, request: DownloadRequest, deadline: Deadline): Readable {
  const { maxBytes, idleTimeoutMs = defaultIdleTimeoutMs } = request;
  let size = 0;
  const passed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      idle.refresh();
      if (size > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  const fail = (thrown: unknown): void => {
    passed.destroy(
      request.signal?.aborted === true ? (request.signal.reason as Error) : toOutboundError(thrown),
    );
  };
  const idle = setTimeout(() => {
    // a reader that is slow leaves the buffer full: then the silence is not the sender's
    if (passed.readableLength >= passed.readableHighWaterMark) idle.refresh();
    else fail(new OutboundError('timeout_idle'));
  }, idleTimeoutMs);
  finished(body, (error) => {
    if (error) fail(error);
  }); // also when it is over already: the parser may give up in the turn of the status line
  passed.once('close', () => {
    clearTimeout(idle);
    deadline.clear();
    body.destroy();
  });
  return body.pipe(passed);
}
