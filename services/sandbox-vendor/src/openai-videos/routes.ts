import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@gateway/runtime';
import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Lifecycle } from '../ark/lifecycle.ts';
import { isTerminal, type Task } from '../ark/task.ts';
import type { TaskStore } from '../ark/task-store.ts';
import { applyFaults, dropAnswer } from '../control/apply-fault.ts';
import type { FaultOperation } from '../control/faults.ts';
import { pollAnswer } from '../directives.ts';
import type { Links } from '../files/links.ts';
import { sendFile, type FileDependencies } from '../files/routes.ts';
import { failures, TextFailure } from '../text/failures.ts';
import { authenticate, failureResponder } from '../text/routes.ts';
import { createVideo, isOpenaiVideo } from './create-video.ts';
import { readCreateFields } from './read-body.ts';
import { toVideoObject } from './video-object.ts';

export interface OpenaiVideosDependencies extends FileDependencies {
  readonly apiKey: string;
  readonly maxBodyBytes: number;
  readonly store: TaskStore;
  readonly lifecycle: Lifecycle;
  readonly links: Links;
  readonly log: Log;
  readonly now: () => number;
}

/** The OpenAI videos API under `/v1/videos`: the key is asked for on every route, that of the file too. */
export function openaiVideosRoutes(dependencies: OpenaiVideosDependencies): Router {
  const { apiKey, maxBodyBytes, log } = dependencies;
  const faulty = (operation: FaultOperation): RequestHandler => applyFaults(dependencies, operation);
  const router = Router();
  router.use((_request, response, next) => {
    response.locals['dialect'] = 'chat'; // whose errors, keys and ids are the same
    next();
  });
  router.use(authenticate(apiKey));
  router.post('/', faulty('create'), express.raw({ type: () => true, limit: maxBodyBytes }), create(dependencies));
  router.get('/', faulty('list'), list(dependencies));
  router.get('/:id', faulty('get'), read(dependencies));
  router.delete('/:id', faulty('delete'), remove(dependencies));
  router.get('/:id/content', faulty('file'), content(dependencies));
  router.use(({ method, baseUrl, path }) => { throw failures.chat['no-route'](`${method} ${baseUrl}${path}`); });
  router.use(failureResponder(log));
  return router;
}

const notFound = (id: string): TextFailure => new TextFailure(404, `Video with id '${id}' not found.`, { code: 'not_found' });

/** The video of a request; throws what the vendor answers when there is none. */
function videoOf(request: Request, { store }: OpenaiVideosDependencies): Task {
  const id = String(request.params['id']);
  const task = store.get(id);
  if (task === undefined || !isOpenaiVideo(task)) throw notFound(id);
  return task;
}

function create({ store, lifecycle, activity, now }: OpenaiVideosDependencies): RequestHandler {
  const accept = async (request: Request): Promise<Task> => {
    activity.count('creates_received');
    try {
      const task = await createVideo(await readCreateFields(request), now);
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
    const task = await accept(request);
    await pause((task.directives.late ?? 0) * 1000, undefined, { ref: false });
    if (task.directives['lose-answer'] !== undefined) {
      activity.count('answers_lost');
      dropAnswer(request, response);
    }
    response.json(toVideoObject(task));
  };
}

function read(dependencies: OpenaiVideosDependencies): RequestHandler {
  const { activity } = dependencies;
  return (request, response) => {
    activity.count('gets');
    const task = videoOf(request, dependencies);
    const answer = pollAnswer(task.directives, activity.countPoll(task.id));
    if (answer === 'missing') throw notFound(task.id);
    if (answer === 'status_500') throw failures.chat['server-error']();
    if (answer === 'status_502') response.status(502).type('html').send('<html><head><title>502 Bad Gateway</title></head></html>');
    else if (answer === 'truncated') sendHalf(response, task);
    else response.json(answer === 'odd_status' ? { ...toVideoObject(task), status: 'preparing' } : toVideoObject(task));
  };
}

/** A 200 whose JSON ends in the middle, as a broken proxy leaves it. */
function sendHalf(response: Response, task: Task): void {
  const text = JSON.stringify(toVideoObject(task));
  response.type('json').send(text.slice(0, Math.floor(text.length / 2)));
}

/** Newest first unless asked otherwise, from after an id on. */
function list({ store, activity }: OpenaiVideosDependencies): RequestHandler {
  return ({ query }, response) => {
    activity.count('lists');
    const limit = Number(query['limit'] ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new TextFailure(400, 'limit must be an integer from 1 to 100.', { param: 'limit', code: 'invalid_value' });
    const oldestFirst = store.all().filter(isOpenaiVideo);
    const ordered = query['order'] === 'asc' ? oldestFirst : [...oldestFirst].reverse();
    const rest = ordered.slice(ordered.findIndex(({ id }) => id === query['after']) + 1);
    const page = rest.slice(0, limit);
    response.json({ object: 'list', data: page.map(toVideoObject), first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more: rest.length > page.length });
  };
}

function remove(dependencies: OpenaiVideosDependencies): RequestHandler {
  return (request, response) => {
    dependencies.activity.count('deletes');
    const { id, status } = videoOf(request, dependencies);
    if (!isTerminal(status)) throw new TextFailure(400, 'Only a video that is completed or failed can be deleted.', { param: 'video_id', code: 'invalid_value' });
    dependencies.store.remove(id);
    response.json({ id, object: 'video.deleted', deleted: true });
  };
}

/** The bytes of the video; 404 until they are there, and when they are there no longer. */
function content(dependencies: OpenaiVideosDependencies): RequestHandler {
  return async (request, response) => {
    const { variant = 'video' } = request.query;
    if (variant !== 'video') throw new TextFailure(400, 'The sandbox has the variant video only.', { param: 'variant', code: 'invalid_value' });
    const { output } = videoOf(request, dependencies);
    const file = output === undefined ? undefined : dependencies.links.find(output.file.token);
    if (file === undefined) throw new TextFailure(404, 'Video is not ready yet, or has expired.', { code: 'not_found' });
    await sendFile(file, 'video.mp4', { request, response, ...dependencies });
  };
}
