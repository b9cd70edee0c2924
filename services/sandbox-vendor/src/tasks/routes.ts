import express, { Router, type Request, type RequestHandler } from 'express';
import { applyFaults } from '../control/apply-fault.ts';
import { requireBearer } from '../http/authenticate.ts';
import {
  createHandler,
  readHandler,
  removeHandler,
  type TaskHandling,
  type TaskWords,
} from './handlers.ts';
import type { Task } from './task.ts';
import type { TaskQuery } from './task-store.ts';
import type { VendorCore } from './vendor.ts';

/** A vendor that is asked with a bearer key and JSON, as data. */
export interface JsonFormat {
  readonly words: TaskWords;
  /** Below the vendor's path; a task is `:id`. */
  readonly paths: Readonly<Record<'create' | 'list' | 'read' | 'remove', string>>;
  readonly unauthorized: () => Error;
  readonly tooManyRequests: () => Error;
  /** Throws the vendor's response to a wrong query. */
  readonly readQuery: (query: Request['query']) => TaskQuery;
  readonly listed: (total: number, tasks: readonly Task[]) => object;
}

/** Routes of such a vendor. Whatever goes wrong is thrown, for the caller's responder to write. */
export function jsonRoutes(
  { words, paths, unauthorized, tooManyRequests, readQuery, listed }: JsonFormat,
  { createTask, ...core }: VendorCore & Pick<TaskHandling, 'createTask'>,
): Router {
  const { apiKey, maxBodyBytes, limiters, activity, store } = core;
  const handling: TaskHandling = { ...core, words, createTask };
  const guards = (operation: keyof typeof limiters): RequestHandler[] => [
    applyFaults(core, operation),
    (_request, _response, next) => {
      if (!limiters[operation].take()) throw tooManyRequests();
      next();
    },
  ];
  const router = Router();
  router.use(requireBearer(apiKey, unauthorized));
  router.post(
    paths.create,
    applyFaults(core, 'create'),
    express.json({ limit: maxBodyBytes }),
    createHandler(handling),
  );
  router.get(paths.list, ...guards('list'), (request, response) => {
    activity.count('lists');
    const { total, tasks } = store.list({ ...readQuery(request.query), format: words.format });
    response.json(listed(total, tasks));
  });
  router.get(paths.read, ...guards('get'), readHandler(handling));
  router.delete(paths.remove, ...guards('delete'), removeHandler(handling));
  return router;
}
