import express, { Router, type RequestHandler } from 'express';
import { applyFaults } from '../control/apply-fault.ts';
import type { FaultOperation, Faults } from '../control/faults.ts';
import { requireBearer } from '../http/authenticate.ts';
import { ArkError } from './errors.ts';
import type { RateLimiter } from './limits.ts';
import { readListQuery } from './list-query.ts';
import { toTaskObject } from './task.ts';
import {
  createHandler,
  readHandler,
  removeHandler,
  type TaskHandling,
  type TaskWords,
} from './task-handlers.ts';

export interface ArkDependencies extends Omit<TaskHandling, 'words'> {
  readonly apiKey: string;
  readonly maxBodyBytes: number;
  readonly limiters: Readonly<Record<'get' | 'list' | 'delete', RateLimiter>>;
  readonly faults: Faults;
}

const words: TaskWords = {
  format: undefined,
  created: ({
    id,
    parameters: {
      echo: { safety_identifier: safetyIdentifier },
    },
  }) => ({ id, ...(safetyIdentifier !== undefined && { safety_identifier: safetyIdentifier }) }),
  shown: (task, status = task.status) => ({ ...toTaskObject(task), status }),
  notFound: (taskId) =>
    new ArkError('NotFound', `The task ${taskId} was not found.`, {
      detail: 'TaskNotFound',
      param: 'id',
    }),
  notRemovable: (status) =>
    new ArkError(
      'OperationDenied',
      `A task that is ${status} can be neither cancelled nor deleted.`,
      { detail: 'TaskStatus' },
    ),
  removed: (response) => {
    response.status(204).end();
  },
};

/**
 * The contents-generation tasks of the Ark API. Whatever goes wrong is thrown and written by the
 * app.
 */
export function arkRoutes(dependencies: ArkDependencies): Router {
  const { apiKey, maxBodyBytes, limiters, activity, store } = dependencies;
  const handling: TaskHandling = { ...dependencies, words };
  const faulty = (operation: FaultOperation): RequestHandler =>
    applyFaults(dependencies, operation);
  const limited =
    (operation: keyof typeof limiters): RequestHandler =>
    (_request, _response, next) => {
      if (limiters[operation].take()) next();
      else {
        throw new ArkError(
          'AccountRateLimitExceeded',
          'The request rate of the account is used up.',
        );
      }
    };
  const router = Router();
  router.use(
    requireBearer(
      apiKey,
      () =>
        new ArkError('AuthenticationError', 'The API key in the request is missing or invalid.'),
    ),
  );
  router.post(
    '/',
    faulty('create'),
    express.json({ limit: maxBodyBytes }),
    createHandler(handling),
  );
  router.get('/', faulty('list'), limited('list'), (request, response) => {
    activity.count('lists');
    const { total, tasks } = store.list(readListQuery(request.query));
    response.json({ total, items: tasks.map(toTaskObject) });
  });
  router.get('/:id', faulty('get'), limited('get'), readHandler(handling));
  router.delete('/:id', faulty('delete'), limited('delete'), removeHandler(handling));
  return router;
}
