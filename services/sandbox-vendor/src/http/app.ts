import { randomBytes } from 'node:crypto';
import type { Health, Log } from '@gateway/runtime';
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Router,
} from 'express';
import type { SimulatedVendor } from '../tasks/vendor.ts';
import { introduction } from './introduction.ts';
import { PlainFailure } from './plain-failure.ts';

export interface AppOptions {
  readonly health: Health;
  readonly log: Log;
  readonly vendors: readonly SimulatedVendor[];
  /** Routers by the path they stand under. */
  readonly routers: Readonly<Record<string, Router>>;
  /** Responds to the failures that no router has handled. */
  readonly errorResponder: ErrorRequestHandler;
}

/** The whole HTTP surface. Every failure under it becomes a vendor's error body. */
export function createApp({ health, log, vendors, routers, errorResponder }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId, accessLog(log));
  app.get('/', (_request, response) => {
    response.json(introduction(vendors));
  });
  app.get('/livez', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const { ready, checks } = await health.check();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'unavailable', checks });
  });
  for (const [path, router] of Object.entries(routers)) app.use(path, router);
  app.use((request) => {
    throw new PlainFailure(404, `${request.method} ${request.path} does not exist.`);
  });
  app.use(errorResponder);
  return app;
}

const requestId: RequestHandler = (_request, response, next) => {
  const id = randomBytes(16).toString('hex');
  response.locals['requestId'] = id;
  response.set('x-request-id', id);
  next();
};

/** The middle of a link is as good as a key. */
const printable = (path: string): string => path.replace(/^\/files\/[^/]+/, '/files/[token]');

const quietPaths = new Set(['/livez', '/readyz']);

function accessLog(log: Log): RequestHandler {
  return (request, response, next) => {
    const start = process.hrtime.bigint();
    const { method, path } = request;
    response.once('close', () => {
      if (quietPaths.has(path)) return;
      const ms = Math.round(Number(process.hrtime.bigint() - start) / 1e6);
      log.info('request', {
        requestId: response.locals['requestId'] as string,
        method,
        path: printable(path),
        status: response.statusCode,
        ms,
        complete: response.writableFinished,
      });
    });
    next();
  };
}
