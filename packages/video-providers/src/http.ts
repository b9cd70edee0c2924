import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Request, StreamOptions } from 'got';
import { readRetryAfterMs } from './retry-after.ts';
import { known } from './vendor-value.ts';
import { logText } from './vendor-text.ts';

const defaultConnectTimeoutMs = 10_000;
const defaultMaxResponseBytes = 1_048_576;
/** A shorter key is a placeholder, and replacing it would garble the response. */
const minHiddenCharacters = 8;

export interface VendorRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as multipart/form-data, in place of a body. */
  readonly form?: FormData;
  /**
   * `fresh` for a request that must not be repeated: a kept connection may be dead already, and
   * then nobody knows what was read.
   */
  readonly connection: 'fresh' | 'kept';
}

/** A response that was read to its end. `json` is undefined when the body is not JSON. */
export interface VendorResponse {
  readonly kind: 'responded';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
  readonly text: string;
  readonly retryAfterMs?: number;
}

/**
 * `not_sent`: no byte of the request left this process. `lost`: it may have been read, and what
 * came of it is not known.
 */
export type SendOutcome =
  | VendorResponse
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

export interface VendorClient {
  /**
   * Sends one request, never repeated and never redirected. Resolves, and never rejects, for whatever
   * the network or the vendor does.
   */
  sendOnce(request: VendorRequest, signal: AbortSignal): Promise<SendOutcome>;
}

export interface VendorClientOptions {
  /** Bound of a whole request with its response. */
  readonly timeoutMs: number;
  /** Bound of each step of reaching the vendor: name, connection, TLS. */
  readonly connectTimeoutMs?: number;
  /** The vendor key, or its parts: replaced wherever the vendor's response repeats one. */
  readonly secret: string | readonly string[];
  /** 1 MiB when left out: more than any task, less than a video. */
  readonly maxResponseBytes?: number;
}

/**
 * The HTTP side that every vendor adapter shares. Its client is loaded with the first request: the api,
 * which reads what vendors take and never calls one, does without.
 */
export function createVendorClient({
  timeoutMs,
  connectTimeoutMs = defaultConnectTimeoutMs,
  secret,
  maxResponseBytes: maxResponseBytes = defaultMaxResponseBytes,
}: VendorClientOptions): VendorClient {
  const agents = {
    kept: createAgents({ keepAlive: true }),
    fresh: createAgents({ keepAlive: false }),
  };
  const connectMs = Math.min(timeoutMs, connectTimeoutMs);
  const timeout = {
    lookup: connectMs,
    connect: connectMs,
    secureConnect: connectMs,
    response: timeoutMs,
    request: timeoutMs,
  };
  const hide = hider(secret);
  return {
    async sendOnce(request, signal) {
      const { default: got } = await import('got');
      const stream = got.stream(request.url, {
        ...optionsOf(request),
        timeout,
        agent: agents[request.connection],
        signal,
      });
      // The loop below reports the first error; a later one, from closing the connection, must not
      // crash the process.
      stream.on('error', () => undefined);
      try {
        const bytes = await readAtMost(stream, maxResponseBytes);
        if (bytes === undefined) {
          return { kind: 'lost', detail: `the response is larger than ${maxResponseBytes} bytes` };
        }
        return readResponse(stream, bytes, hide);
      } catch (thrown) {
        return {
          kind: wasSent(stream, request.url) ? 'lost' : 'not_sent',
          detail: logText(hide(describe(thrown))),
        };
      } finally {
        // got lets go of the signal only then; a kept connection is back in its pool by now and
        // stays open.
        stream.destroy();
      }
    },
  };
}

const createAgents = (options: http.AgentOptions) => ({
  http: new http.Agent(options),
  https: new https.Agent(options),
});

const optionsOf = ({ method, headers, body, form }: VendorRequest): StreamOptions => ({
  method,
  headers: { accept: 'application/json', 'user-agent': 'generation-gateway', ...headers },
  ...bodyOf({ method, body, form }),
  retry: { limit: 0 },
  throwHttpErrors: false,
  followRedirect: false,
});

/** got takes no body with a GET, and waits for one to be written when a POST has none. */
function bodyOf({
  method,
  body,
  form,
}: Pick<VendorRequest, 'method'> & {
  readonly body: object | undefined;
  readonly form: FormData | undefined;
}): StreamOptions {
  if (form !== undefined) return { body: form };
  if (body !== undefined) return { json: body };
  return method === 'POST' || method === 'PUT' ? { body: '' } : {};
}

/** Counts after decompression, so that a small response cannot unfold into a large one. */
async function readAtMost(stream: Request, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readResponse(
  { response }: Request,
  bytes: Buffer,
  hide: (text: string) => string,
): SendOutcome {
  if (response === undefined) {
    return { kind: 'lost', detail: 'the connection ended without a response' };
  }
  const text = bytes.toString('utf8');
  return {
    kind: 'responded',
    status: response.statusCode,
    headers: response.headers,
    json: parseJson(text, hide),
    text: hide(text),
    ...known({ retryAfterMs: readRetryAfterMs(response.headers['retry-after'], Date.now()) }),
  };
}

function parseJson(text: string, hide: (text: string) => string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'string' ? hide(value) : value,
    );
  } catch {
    return undefined;
  }
}

/** Node writes nothing before the connection stands, and with TLS before the handshake is done. */
function wasSent({ timings }: Request, url: string): boolean {
  return (url.startsWith('https:') ? timings?.secureConnect : timings?.connect) !== undefined;
}

function hider(secret: string | readonly string[]): (text: string) => string {
  const hidden = [secret].flat().filter(({ length }) => length >= minHiddenCharacters);
  return (text) => hidden.reduce((rest, one) => rest.replaceAll(one, '[key]'), text);
}

function describe(thrown: unknown): string {
  const { code, message } = thrown as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
}

/** What a response said, for the log. */
export function describeResponse({ status, headers, text }: VendorResponse): string {
  const requestId = headers['x-request-id'];
  const type = headers['content-type'] ?? 'no content type';
  return logText(
    [
      `HTTP ${status} (${type})`,
      ...(typeof requestId === 'string' ? [`request ${requestId}`] : []),
      text,
    ].join(' '),
  );
}
