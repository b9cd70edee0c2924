import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { GatewayError, errorCatalogue, type ErrorCode } from '@gateway/domain';
import { runWith } from '../tracing/context.ts';
import { failureOf } from './failure-of.ts';
import type { Health } from './health.ts';
import type { Log } from '../log.ts';
import { dependencyGauges } from './health-metrics.ts';
import { httpDuration, type Registry } from '../metrics/metrics.ts';
import { requestIdOf } from './request-id.ts';
import { spanFields, type Span, type Tracing } from '../tracing/span.ts';

export interface HttpAppOptions {
  readonly log: Log;
  readonly metrics: Registry;
  readonly health: Health;
  /** Left out where this service is not traced. */
  readonly tracing?: Tracing | undefined;
  /** Adds the service's own routes, between the health routes and the 404. */
  readonly routes?: (app: Express) => void;
}

/**
 * An Express app with what every service has: request ids, one access line a request, health,
 * metrics, JSON errors only.
 */
export function createHttpApp({ log, metrics, health, tracing, routes }: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestContext({ log, metrics, tracing }));
  dependencyGauges(health, metrics);
  app.get('/livez', (_request, response) => {
    const reason = health.stalled();
    if (reason === undefined) response.json({ status: 'ok' });
    else response.status(503).json({ status: 'stalled', reason });
  });
  app.get('/readyz', async (_request, response) => {
    const { ready, degraded, checks } = await health.check();
    const ok = degraded === true ? 'degraded' : 'ok';
    response.status(ready ? 200 : 503).json({ status: ready ? ok : 'unavailable', checks });
  });
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  routes?.(app);
  app.use((request) => {
    throw new GatewayError('route_not_found', `${request.method} ${request.path} does not exist`);
  });
  app.use(errorResponder(log));
  return app;
}

/**
 * Probes are neither logged nor measured, and have no context: on Node 20 its first use slows every
 * promise of the process down.
 */
const quietPaths = new Set(['/livez', '/readyz', '/metrics']);

function requestContext({
  log,
  metrics,
  tracing,
}: Pick<HttpAppOptions, 'log' | 'metrics' | 'tracing'>): RequestHandler {
  const duration = httpDuration(metrics);
  return (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    const start = process.hrtime.bigint();
    response.set('x-request-id', requestId);
    response.locals['requestId'] = requestId;
    if (quietPaths.has(request.path)) {
      next();
      return;
    }
    const span = tracing?.start(request.method, {
      kind: 'server',
      parent: request.get('traceparent'),
      attributes: { 'http.request.method': request.method, 'gateway.request_id': requestId },
    });
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      const route = routeOf(request);
      duration({ method: request.method, route, status: response.statusCode }, seconds);
      log.info('request', {
        requestId,
        method: request.method,
        path: request.path,
        route,
        status: response.statusCode,
        ms: Math.round(seconds * 1000),
        complete: response.writableFinished,
        ...spanFields(span),
      });
      if (span !== undefined) {
        endServerSpan(span, { method: request.method, route, status: response.statusCode });
      }
    });
    runWith(span === undefined ? { requestId } : { requestId, span }, next);
  };
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
  return (thrown, request, response, _next) => {
    if (response.headersSent) {
      // Half an answer cannot be mended: the client sees the connection break, and the log says
      // why.
      log.error('answer broke off', { error: thrown as unknown });
      response.destroy();
      return;
    }
    const error = fromExpress(thrown, request);
    const { status } = errorCatalogue[error.code];
    log[status >= 500 ? 'error' : 'debug']('request failed', {
      code: error.code,
      reason: error.message,
      ...(status >= 500 && { error: thrown as unknown }),
    });
    sendError(response, error);
  };
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
