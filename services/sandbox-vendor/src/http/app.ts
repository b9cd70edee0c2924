import { randomBytes } from 'node:crypto';
import type { Health, Log } from '@gateway/runtime';
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Router,
} from 'express';
import { ArkError, errorBody } from '../ark/errors.ts';
import { models } from '../ark/models.ts';
import { models as miniMaxModels } from '../minimax/models.ts';
import { directiveList } from '../directives.ts';
import { openaiVideoModels } from '../openai-videos/create-video.ts';
import { textDirectiveList } from '../text/directives.ts';
import { textModels } from '../text/models.ts';

export interface AppOptions {
  readonly health: Health;
  readonly log: Log;
  /** Routers by the path they stand under. */
  readonly routers: Readonly<Record<string, Router>>;
}

/** The whole HTTP surface. Every failure under it is answered in the vendor's own error body. */
export function createApp({ health, log, routers }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId, accessLog(log));
  app.get('/', (_request, response) => {
    response.json({
      name: 'sandbox vendor',
      about:
        'A stand-in for vendors of video and of text: it speaks the Ark contents-generation format, the second video interface of MiniMax and the OpenAI videos format, and renders real videos, and it speaks the messages and the chat-completions dialect. Put a directive anywhere in a prompt to see an outcome.',
      base_url: '/api/v3',
      models: Object.keys(models),
      directives: directiveList(),
      minimax: {
        routes: [
          'POST /v2/video_generation',
          'GET /v2/query/video_generation',
          'GET /v2/query/video_generation/{id}',
          'DELETE /v2/video_generation/{id}',
        ],
        models: Object.keys(miniMaxModels),
      },
      openai_videos: {
        routes: [
          'POST /v1/videos',
          'GET /v1/videos',
          'GET /v1/videos/{id}',
          'GET /v1/videos/{id}/content',
          'DELETE /v1/videos/{id}',
        ],
        models: Object.keys(openaiVideoModels),
      },
      text: {
        routes: [
          'POST /v1/messages',
          'POST /v1/messages/count_tokens',
          'POST /v1/chat/completions',
          'GET /v1/models',
        ],
        models: textModels,
        directives: textDirectiveList(),
      },
    });
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
    throw new ArkError('NotFound', `${request.method} ${request.path} does not exist.`);
  });
  app.use(errorResponder(log));
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

function errorResponder(log: Log): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = asArkError(thrown);
    if (!(thrown instanceof ArkError) && error.status >= 500) {
      log.error('request failed', { error: thrown as unknown });
    }
    response.status(error.status).json(errorBody(error, response.locals['requestId'] as string));
  };
}

/** Body parser and router throw plain errors with a status. */
function asArkError(thrown: unknown): ArkError {
  if (thrown instanceof ArkError) return thrown;
  const { status } = (thrown ?? {}) as { status?: number };
  if (status === 413) {
    return new ArkError('InvalidParameter', 'The request body is too large.', {
      detail: 'BodyTooLarge',
      status,
    });
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return new ArkError('InvalidParameter', 'The request body cannot be read as JSON.', {
      param: 'body',
    });
  }
  return new ArkError(
    'InternalServiceError',
    'The service encountered an unexpected internal error.',
  );
}
