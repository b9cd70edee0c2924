import type { EventEmitter } from 'node:events';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { GatewayError, errorCatalogue, type ErrorCode } from '@gateway/domain';
import { countUnexpected, isUnexpected, runAs } from '../faults/index.ts';
import { runWith, type FaultScope, type LogContext } from '../tracing/context.ts';
import { failureOf } from './failure-of.ts';
import { logFailure } from './log-failure.ts';
import type { Health } from './health.ts';
import type { Log } from '../log.ts';
import { redact, requestLinesInto, type RequestLines } from '../logging/index.ts';
import { createPeerAddress, type PeerAddress } from './peer-address.ts';
import { httpDuration, type Registry } from '../metrics/metrics.ts';
import { requestIdOf } from './request-id.ts';
import { spanFields, type Span, type Tracing } from '../tracing/span.ts';

export interface HttpAppOptions {
  readonly log: Log;
  readonly metrics: Registry;
  readonly health: Health;
  /** Left out where this service is not traced. */
  readonly tracing?: Tracing | undefined;
  /** Where strangers call: a `traceparent` of theirs decides nothing, it is only linked to. */
  readonly isTraceparentOnlyLinked?: boolean;
  /** The address in the access line; that of the connection when left out. */
  readonly peerOf?: PeerAddress;
  /** Where access lines go; into the log when left out. */
  readonly requestLines?: Pick<RequestLines, 'write'>;
  /** Adds the service's own routes, between `/livez` and the 404. */
  readonly routes?: (app: Express) => void;
}

/**
 * An Express app with what every service for others has: request ids, one access line a request,
 * `/livez`, JSON errors only. `/readyz` and `/metrics` are on the operations port.
 */
export function createHttpApp({ health, routes, ...options }: HttpAppOptions): Express {
  const { log } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  sendFreshOnlyWithEtag(app);
  app.use(requestContext(options));
  app.get('/livez', (_request, response) => {
    if (health.stalled() === undefined) response.json({ status: 'ok' });
    else response.status(503).json({ status: 'stalled' });
  });
  routes?.(app);
  app.use((request) => {
    throw new GatewayError(
      'route_not_found',
      movedPaths.has(request.path)
        ? `${request.path} is not served on this port; operators find it on OPS_PORT`
        : `${request.method} ${request.path} does not exist`,
    );
  });
  app.use(errorResponder(log));
  return app;
}

/**
 * To Express every representation is one that `If-None-Match: *` names: it would answer 304 where
 * nothing says that a client may keep a copy.
 */
function sendFreshOnlyWithEtag(app: Express): void {
  Object.defineProperty(app.request, 'fresh', {
    get(this: Request) {
      const hasEtag = this.res?.get('etag') !== undefined;
      return hasEtag && Reflect.get(express.request, 'fresh', this);
    },
  });
}

/** What older versions served here. */
const movedPaths = new Set(['/readyz', '/metrics']);

/**
 * Probes are neither logged nor measured, and have no context: on Node 20 its first use slows every
 * promise of the process down.
 */
const quietPaths = new Set(['/livez']);

function requestContext({
  log,
  metrics,
  tracing,
  isTraceparentOnlyLinked = false,
  peerOf = createPeerAddress(''),
  requestLines = requestLinesInto(log),
}: Omit<HttpAppOptions, 'health' | 'routes'>): RequestHandler {
  const duration = httpDuration(metrics);
  return (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    const start = process.hrtime.bigint();
    // read now: a connection that has ended has no address
    const peer = peerOf(request);
    response.set({ 'x-request-id': requestId, 'x-content-type-options': 'nosniff' });
    response.locals['requestId'] = requestId;
    if (quietPaths.has(request.path)) {
      next();
      return;
    }
    const traceparent = request.get('traceparent');
    const span = tracing?.start(request.method, {
      kind: 'server',
      [isTraceparentOnlyLinked ? 'link' : 'parent']: traceparent,
      attributes: { 'http.request.method': request.method, 'gateway.request_id': requestId },
    });
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      const route = routeOf(request);
      duration({ method: request.method, route, status: response.statusCode }, seconds);
      const line = {
        requestId,
        method: request.method,
        path: request.path,
        route,
        status: response.statusCode,
        ms: Math.round(seconds * 1000),
        complete: response.writableFinished,
        peer,
        ...notedFields(response),
        ...spanFields(span),
      };
      requestLines.write(redact(line) as typeof line);
      if (span !== undefined) {
        endServerSpan(span, { method: request.method, route, status: response.statusCode });
      }
    });
    const scope = requestScope(log, request, response);
    const context = { requestId, scope, ...(span !== undefined && { span }) };
    for (const emitter of [request, response]) emitWithin(context, emitter);
    runWith(context, next);
  };
}

/**
 * Node emits the events of a request and its response outside of any context, in the middle of its
 * parser: here their listeners have the request's, and what they throw is the request's.
 */
function emitWithin(context: LogContext, emitter: EventEmitter): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (...event: Parameters<typeof emit>) => {
    let isHeard = false;
    runAs(context, () => {
      isHeard = emit(...event);
    });
    return isHeard;
  };
}

/** What code of this request throws where nobody catches it ends this request. */
const requestScope = (log: Log, request: Request, response: Response): FaultScope => ({
  where: 'request',
  account: () =>
    (response.locals['caller'] as { readonly accountId?: string } | undefined)?.accountId,
  fail: (error) => {
    if (response.writableEnded) return;
    // It may have passed through Node's parser, which then takes the rest of the body, or the next
    // request of this connection, for malformed.
    if (!response.headersSent) response.set('connection', 'close');
    fail(log, error, { request, response });
  },
});

/** Who made the request, as far as that is known: whoever authenticates it notes it. */
export interface CallerFields {
  readonly accountId?: string;
  readonly keyId?: string;
}

const notedFields = ({ locals }: Response): object => ({
  ...(locals['callerFields'] as CallerFields | undefined),
  ...(locals['requestFields'] as object | undefined),
});

/** Puts the caller into the access line of the request. */
export function noteCaller(response: Response, { accountId, keyId }: CallerFields): void {
  response.locals['callerFields'] = { accountId, keyId };
}

/** Puts the ids of the requests that it is made for into the access line, where it is made for several. */
export function noteRequests(response: Response, requestIds: readonly string[]): void {
  response.locals['requestFields'] = { requestIds };
}

/** Its name and attributes hold the route's pattern and never the path, which may hold a token. */
export function endServerSpan(
  span: Span,
  {
    method,
    route,
    status,
  }: { readonly method: string; readonly route: string; readonly status: number },
): void {
  const isKnown = route !== 'unmatched';
  span.rename(isKnown ? `${method} ${route}` : method);
  span.set({ 'http.route': isKnown ? route : undefined, 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The route's pattern, so that ids do not become labels. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? `${request.baseUrl}${route.path}` : 'unmatched';
}

/** The only place that turns a failure into a status code. */
function errorResponder(log: Log): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (thrown: unknown, request, response, _next) => {
    if (fromExpress(thrown, request).code === 'internal' && isUnexpected(thrown)) {
      countUnexpected('request');
    }
    fail(log, thrown, { request, response });
  };
}

/** Ends the request with this error, whole or as far as its response has come. */
function fail(
  log: Log,
  thrown: unknown,
  { request, response }: { readonly request: Request; readonly response: Response },
): void {
  if (response.headersSent) {
    // A response that broke off cannot be repaired: the client sees the connection break, and the log says why.
    log.error('response broke off', { error: thrown });
    response.destroy();
    return;
  }
  const error = fromExpress(thrown, request);
  logFailure(log, error, thrown);
  sendError(response, error);
}

/** Writes the error body of every route but the messages dialect. */
export function sendError(response: Response, error: GatewayError): void {
  const { status, type } = errorCatalogue[error.code];
  response.set(error.headers);
  response.set('cache-control', 'no-store');
  if (error.retryAfterMs !== undefined) {
    response.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  }
  response.status(status).json({
    error: {
      message: error.message,
      type,
      code: error.code,
      param: error.param,
      ...(error.details.length > 0 && { details: error.details }),
    },
  });
}

const codeOfType: Partial<Record<string, { code: ErrorCode; message: string }>> = {
  'entity.too.large': {
    code: 'payload_too_large',
    message: 'the body is larger than this route takes',
  },
  'entity.parse.failed': { code: 'invalid_json', message: 'the body is not valid JSON' },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    message: 'content-encoding must be identity, gzip, deflate or br',
  },
  'charset.unsupported': { code: 'unsupported_media_type', message: 'the charset must be utf-8' },
  'request.aborted': { code: 'invalid_json', message: 'the body ended early' },
  'request.size.invalid': {
    code: 'invalid_json',
    message: 'the body does not have the length that content-length says',
  },
};

/**
 * Body parser and router throw plain errors with a `type` or a `status`; they are the client's
 * fault, not ours.
 */
function fromExpress(thrown: unknown, request: Request): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  const { type, status } = (thrown ?? {}) as { type?: string; status?: number };
  const known = codeOfType[type ?? ''];
  if (known !== undefined) return new GatewayError(known.code, known.message, { cause: thrown });
  if (status !== undefined && status >= 400 && status < 500) {
    return new GatewayError(
      'invalid_parameter',
      `the request for ${request.path.slice(0, 200)} cannot be read`,
      { cause: thrown },
    );
  }
  return failureOf(thrown);
}
