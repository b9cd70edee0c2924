import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import express, { Router, type RequestHandler, type Response } from 'express';
import { applyFaults, dropAnswer } from '../control/apply-fault.ts';
import type { Activity } from '../control/activity.ts';
import type { FaultOperation, Faults } from '../control/faults.ts';
import { pollAnswer } from '../directives.ts';
import { ArkError } from './errors.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { RateLimiter } from './limits.ts';
import { readListQuery } from './list-query.ts';
import { toTaskObject, type Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

export interface ArkDependencies {
  readonly apiKey: string;
  readonly maxBodyBytes: number;
  readonly createTask: (body: unknown) => Task;
  readonly store: TaskStore;
  readonly lifecycle: Lifecycle;
  readonly limiters: Readonly<Record<'get' | 'list' | 'delete', RateLimiter>>;
  readonly activity: Activity;
  readonly faults: Faults;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function authenticate(apiKey: string): RequestHandler {
  const expected = digest(`Bearer ${apiKey}`);
  return (request, _response, next) => {
    if (timingSafeEqual(digest(request.get('authorization') ?? ''), expected)) next();
    else throw new ArkError('AuthenticationError', 'The API key in the request is missing or invalid.');
  };
}

const notFound = (taskId: string): ArkError => new ArkError('NotFound', `The task ${taskId} was not found.`, { detail: 'TaskNotFound', param: 'id' });

/** The contents-generation tasks of the Ark API. Whatever goes wrong is thrown and written by the app. */
export function arkRoutes(dependencies: ArkDependencies): Router {
  const { apiKey, maxBodyBytes, limiters, activity, store } = dependencies;
  const faulty = (operation: FaultOperation): RequestHandler => applyFaults(dependencies, operation);
  const limited = (operation: keyof typeof limiters): RequestHandler => (_request, _response, next) => {
    if (limiters[operation].take()) next();
    else throw new ArkError('AccountRateLimitExceeded', 'The request rate of the account is used up.');
  };
  const router = Router();
  router.use(authenticate(apiKey));
  router.post('/', faulty('create'), express.json({ limit: maxBodyBytes }), create(dependencies));
  router.get('/', faulty('list'), limited('list'), (request, response) => {
    activity.count('lists');
    const { total, tasks } = store.list(readListQuery(request.query));
    response.json({ total, items: tasks.map(toTaskObject) });
  });
  router.get('/:id', faulty('get'), limited('get'), read(dependencies));
  router.delete('/:id', faulty('delete'), limited('delete'), remove(dependencies));
  return router;
}

function create({ createTask, store, lifecycle, activity }: ArkDependencies): RequestHandler {
  const accept = (body: unknown): Task => {
    activity.count('creates_received');
    try {
      const task = createTask(body);
      store.put(task);
      lifecycle.follow(task);
      activity.count('creates_accepted');
      return task;
    } catch (error) {
      activity.count('creates_refused');
      throw error;
    }
  };
  return async (request, response) => {
    const task = accept(request.body);
    await pause((task.directives.late ?? 0) * 1000, undefined, { ref: false });
    if (task.directives['lose-answer'] !== undefined) {
      activity.count('answers_lost');
      dropAnswer(request, response);
    }
    const { safety_identifier: safetyIdentifier } = task.parameters.echo;
    response.json({ id: task.id, ...(safetyIdentifier !== undefined && { safety_identifier: safetyIdentifier }) });
  };
}

function read({ store, activity }: ArkDependencies): RequestHandler {
  return (request, response) => {
    activity.count('gets');
    const taskId = String(request.params['id']);
    const task = store.get(taskId);
    if (task === undefined) throw notFound(taskId);
    const answer = pollAnswer(task.directives, activity.countPoll(taskId));
    if (answer === 'missing') throw notFound(taskId);
    if (answer === 'status_500') throw new ArkError('InternalServiceError', 'The service encountered an unexpected internal error.');
    if (answer === 'status_502') response.status(502).type('html').send('<html><head><title>502 Bad Gateway</title></head></html>');
    else if (answer === 'truncated') sendHalf(response, task);
    else response.json(answer === 'odd_status' ? { ...toTaskObject(task), status: 'preparing' } : toTaskObject(task));
  };
}

/** A 200 whose JSON ends in the middle, as a broken proxy leaves it. */
function sendHalf(response: Response, task: Task): void {
  const text = JSON.stringify(toTaskObject(task));
  response.type('json').send(text.slice(0, Math.floor(text.length / 2)));
}

function remove({ store, lifecycle, activity }: ArkDependencies): RequestHandler {
  return (request, response) => {
    activity.count('deletes');
    const taskId = String(request.params['id']);
    const task = store.get(taskId);
    if (task === undefined) throw notFound(taskId);
    if (task.status === 'running' || task.status === 'cancelled') {
      throw new ArkError('OperationDenied', `A task that is ${task.status} can be neither cancelled nor deleted.`, { detail: 'TaskStatus' });
    }
    if (task.status === 'queued') lifecycle.cancel(task);
    else store.remove(taskId);
    response.status(204).end();
  };
}
