import { createHash, timingSafeEqual } from 'node:crypto';
import type { Log } from '@gateway/runtime';
import express, {
  Router,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Activity } from '../control/activity.ts';
import { applyFaults } from '../control/apply-fault.ts';
import type { Faults } from '../control/faults.ts';
import { PlainFailure } from '../http/plain-failure.ts';
import { createChatDialect } from './chat/dialect.ts';
import type { Dialect } from './dialect.ts';
import { respondToCall, type TextCallOptions } from './respond-to-call.ts';
import { embed } from './embeddings.ts';
import { failureBody, failures, TextFailure, type DialectName } from './failures.ts';
import { randomToken } from './ids.ts';
import type { TextJournal } from './journal.ts';
import { createMessagesDialect, readMessages } from './messages/dialect.ts';
import { promptTokens } from './model/prefix-cache.ts';
import { createThinkingSigner, type ThinkingSigner } from './model/signature.ts';
import { modelEntry, modelList } from './models.ts';
import { createResponsesDialect } from './responses/dialect.ts';

export interface TextDependencies extends TextCallOptions {
  readonly apiKey: string;
  readonly journal: TextJournal;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly log: Log;
  readonly now: () => number;
}

/** Documented for messages; the other vendor takes no more. */
const maxBodyBytes = 33_554_432;

/** The text dialects under `/v1`. Whatever goes wrong becomes an error in the dialect of the route. */
export function textRoutes(dependencies: TextDependencies): Router {
  const { apiKey, rateLimits, log } = dependencies;
  const signer = createThinkingSigner(apiKey);
  const router = Router();
  const body = [express.raw({ type: () => true, limit: maxBodyBytes }), parseJson];
  const generate = (dialect: Dialect): readonly RequestHandler[] => [
    ...body,
    record(dependencies),
    applyFaults(dependencies, dialect.name, 'text'),
    respond(dialect, dependencies),
  ];

  router.use(introduce(dependencies), authenticate(apiKey));
  for (const [path, dialect] of dialectsByPath(signer, dependencies)) {
    router.post(path, ...generate(dialect));
  }
  router.post('/messages/count_tokens', ...body, record(dependencies), (request, response) => {
    const conversation = readMessages('count', request, signer);
    if (conversation.model.startsWith('missing-')) {
      throw failures.messages['missing-model'](conversation.model);
    }
    response
      .set(rateLimits.headers('messages'))
      .json({ input_tokens: promptTokens(conversation.segments) });
  });
  router.post(
    '/embeddings',
    ...body,
    record(dependencies),
    applyFaults(dependencies, 'chat', 'text'),
    (request, response) => {
      const made = embed(request.body as Record<string, unknown>);
      rateLimits.use('input-tokens', made.usage.prompt_tokens);
      response.set(rateLimits.headers('chat')).json(made);
    },
  );
  router.get('/models', (_request, response) => {
    response.json(modelList());
  });
  router.get('/models/*id', (request, response) => {
    const id = [(request.params as Record<string, string | string[]>)['id'] ?? ''].flat().join('/');
    if (id.startsWith('missing-')) throw failures[dialectOf(response)]['missing-model'](id);
    response.json(modelEntry(id));
  });
  router.all(knownPaths, (request, response) => {
    throw failures[dialectOf(response)]['no-method'](routeOf(request));
  });
  router.use((request, response) => {
    throw failures[dialectOf(response)]['no-route'](routeOf(request));
  });
  router.use(failureResponder(log));
  return router;
}

const knownPaths = [
  '/messages',
  '/messages/count_tokens',
  '/chat/completions',
  '/responses',
  '/embeddings',
  '/models',
];

const dialectsByPath = (
  signer: ThinkingSigner,
  { now }: TextDependencies,
): readonly (readonly [path: string, dialect: Dialect])[] => [
  ['/messages', createMessagesDialect(signer)],
  ['/chat/completions', createChatDialect({ now })],
  ['/responses', createResponsesDialect(signer, { now })],
];

const dialectOf = (response: Response): DialectName => response.locals['dialect'] as DialectName;
const routeOf = ({ method, baseUrl, path }: Request): string => `${method} ${baseUrl}${path}`;

/**
 * Which dialect a request speaks: by its path, and where both share a path, by a header that only
 * one of them has.
 */
function dialectOfRequest(request: Request): DialectName {
  if (/^\/messages(\/|$)/.test(request.path)) return 'messages';
  if (/^\/responses(\/|$)/.test(request.path)) return 'responses';
  return !request.path.startsWith('/chat/') && request.get('anthropic-version') !== undefined
    ? 'messages'
    : 'chat';
}

/** Every response has an id in the header of its dialect, errors included. */
function introduce({ rateLimits }: TextDependencies): RequestHandler {
  return (request, response, next) => {
    const dialect = dialectOfRequest(request);
    response.locals['dialect'] = dialect;
    response.removeHeader('x-request-id');
    if (dialect === 'messages') {
      response.locals['requestId'] = `req_01${randomToken(22)}`;
      response.set({
        'request-id': response.locals['requestId'] as string,
        'anthropic-organization-id': 'sandbox',
      });
    } else {
      response.locals['requestId'] = `req_${randomToken(32).toLowerCase()}`;
      response.set({
        'x-request-id': response.locals['requestId'] as string,
        'openai-organization': 'sandbox',
        'openai-version': '2020-10-01',
      });
    }
    if (request.method === 'POST') {
      rateLimits.use('requests', 1);
      response.set(rateLimits.headers(dialect));
    }
    next();
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The key comes as a bearer token or as x-api-key; of both, x-api-key counts. */
export function authenticate(apiKey: string): RequestHandler {
  const expected = digest(apiKey);
  return (request, response, next) => {
    const given =
      request.get('x-api-key') ?? /^bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) next();
    else throw failures[dialectOf(response)][given === undefined ? 'no-key' : 'wrong-key']();
  };
}

/** The bytes are kept, for the journal knows their digest. */
const parseJson: RequestHandler = (request, response, next) => {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  response.locals['bytes'] = bytes;
  try {
    request.body = JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw failures[dialectOf(response)]['not-json']();
  }
  if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body)) {
    throw failures[dialectOf(response)]['not-object']();
  }
  next();
};

const record =
  ({ journal }: TextDependencies): RequestHandler =>
  (request, response, next) => {
    response.locals['signal'] = journal.open(
      dialectOf(response),
      response.locals['bytes'] as Buffer,
      { request, response },
    );
    next();
  };

const respond =
  (dialect: Dialect, dependencies: TextDependencies): RequestHandler =>
  async (request, response) => {
    const signal = response.locals['signal'] as AbortSignal;
    const release = dependencies.journal.hold(response);
    try {
      await respondToCall(dialect, { request, response, signal }, dependencies);
    } catch (error) {
      if (!signal.aborted) throw error; // a client that has gone gets no response
    } finally {
      release();
    }
  };

/** Responds with what was thrown, in the dialect of the route. */
export function failureResponder(log: Log): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const dialect = dialectOf(response);
    const failure = asTextFailure(thrown, dialect);
    if (
      !(thrown instanceof TextFailure || thrown instanceof PlainFailure) &&
      failure.status === 500
    ) {
      log.error('request failed', { error: thrown as unknown });
    }
    if (failure.retryAfterSeconds !== undefined) {
      response.set('retry-after', String(failure.retryAfterSeconds));
    }
    response
      .status(failure.status)
      .json(failureBody(dialect, failure, response.locals['requestId'] as string));
  };
}

/** The body parser throws plain errors with a status, which say nothing to a client. */
function asTextFailure(thrown: unknown, dialect: DialectName): TextFailure {
  if (thrown instanceof TextFailure) return thrown;
  if (thrown instanceof PlainFailure) return new TextFailure(thrown.status, thrown.message);
  const { status } = (thrown ?? {}) as { status?: number };
  if (status === 413) return failures[dialect]['too-large']();
  if (status !== undefined && status >= 400 && status < 500) return failures[dialect]['not-json']();
  return failures[dialect]['server-error']();
}
