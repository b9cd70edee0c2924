import express, { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { ArkDependencies } from '../ark/routes.ts';
import {
  createHandler,
  readHandler,
  removeHandler,
  type TaskHandling,
  type TaskWords,
} from '../ark/task-handlers.ts';
import { applyFaults } from '../control/apply-fault.ts';
import type { FaultOperation } from '../control/faults.ts';
import { requireBearer } from '../http/authenticate.ts';
import { asMiniMaxError, errorBody, MiniMaxError } from './errors.ts';
import { toTaskObject } from './task-object.ts';

const words: TaskWords = {
  format: 'minimax',
  created: ({ id }) => ({ task_id: id }),
  shown: (task, status) => ({ task: toTaskObject(task, status) }),
  notFound: () => new MiniMaxError(2013, 'invalid params, invalid task_id', 404),
  notRemovable: (status) =>
    new MiniMaxError(
      2013,
      `invalid params, a task that is ${status} can be neither cancelled nor deleted`,
    ),
  removed: (response, { id, status }) => {
    response.json(
      status === 'queued'
        ? { task_id: id, action: 'cancel', status: 'cancelled' }
        : { task_id: id, action: 'delete', status: 'deleted' },
    );
  },
};

const pageNumber = (value: unknown, absent: number): number => {
  if (value === undefined) return absent;
  if (typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value)) return Number(value);
  throw new MiniMaxError(2013, 'invalid params, page_num and page_size must be from 1 to 999');
};

/**
 * The second video interface of MiniMax, below `/v2`, with the same tasks, directives, limits and
 * files as the Ark API.
 */
export function miniMaxRoutes(dependencies: ArkDependencies): Router {
  const { apiKey, maxBodyBytes, limiters, activity, store } = dependencies;
  const handling: TaskHandling = { ...dependencies, words };
  const faulty = (operation: FaultOperation): RequestHandler =>
    applyFaults(dependencies, operation);
  const limited =
    (operation: keyof typeof limiters): RequestHandler =>
    (_request, _response, next) => {
      if (limiters[operation].take()) next();
      else throw new MiniMaxError(1002, 'rate limit');
    };
  const router = Router();
  router.use(
    requireBearer(
      apiKey,
      () =>
        new MiniMaxError(
          1004,
          "login fail: Please carry the API secret key in the 'Authorization' field of the request header",
        ),
    ),
  );
  router.post(
    '/video_generation',
    faulty('create'),
    express.json({ limit: maxBodyBytes }),
    createHandler(handling),
  );
  router.get('/query/video_generation', faulty('list'), limited('list'), (request, response) => {
    activity.count('lists');
    const { total, tasks } = store.list({
      format: 'minimax',
      page: pageNumber(request.query['page_num'], 1),
      pageSize: pageNumber(request.query['page_size'], 20),
    });
    response.json({ total, tasks: tasks.map((task) => toTaskObject(task)) });
  });
  router.get('/query/video_generation/:id', faulty('get'), limited('get'), readHandler(handling));
  router.delete(
    '/video_generation/:id',
    faulty('delete'),
    limited('delete'),
    removeHandler(handling),
  );
  router.use(errorResponder);
  return router;
}

// eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
const errorResponder: ErrorRequestHandler = (thrown, _request, response, next) => {
  if (response.headersSent) {
    next(thrown);
    return;
  }
  const error = asMiniMaxError(thrown);
  response.status(error.status).json(errorBody(error, response.locals['requestId'] as string));
};
