import { setTimeout as pause } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import { dropResponse } from '../control/apply-fault.ts';
import type { Activity } from '../control/activity.ts';
import { pollResponse, type PollResponse } from './directives.ts';
import { PlainFailure } from '../http/plain-failure.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Task, TaskStatus } from './task.ts';
import type { TaskStore } from './task-store.ts';

/** One vendor's words for what happens to tasks. */
export interface TaskWords {
  /** What its tasks carry. */
  readonly format: string;
  readonly created: (task: Task) => object;
  /** 200 when left out. */
  readonly createdStatus?: number;
  /** A task, with another status than its own when one is given. */
  readonly shown: (task: Task, status?: string) => object;
  readonly notFound: (taskId: string) => Error;
  readonly notRemovable: (status: TaskStatus) => Error;
  readonly removed: (response: Response, task: Task) => void;
}

export interface TaskHandling {
  readonly words: TaskWords;
  readonly createTask: (body: unknown, request: Request) => Task | Promise<Task>;
  readonly store: TaskStore;
  readonly lifecycle: Lifecycle;
  readonly activity: Activity;
}

/** Takes a creation, as its directives want it taken. */
export function createHandler({
  words,
  createTask,
  store,
  lifecycle,
  activity,
}: Omit<TaskHandling, 'words'> & {
  readonly words: Pick<TaskWords, 'created' | 'createdStatus'>;
}): RequestHandler {
  const accept = async (request: Request): Promise<Task> => {
    activity.count('creates_received');
    try {
      const task = await createTask(request.body, request);
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
      dropResponse(request, response);
    }
    response.status(words.createdStatus ?? 200).json(words.created(task));
  };
}

/** The task of this format; one that came in by another is not known here. */
export function taskOf(
  {
    store,
    words,
  }: Pick<TaskHandling, 'store'> & { readonly words: Pick<TaskWords, 'format' | 'notFound'> },
  taskId: string,
): Task {
  const task = store.get(taskId);
  if (task === undefined || task.format !== words.format) throw words.notFound(taskId);
  return task;
}

/** Responds to a poll of a task as its directives ask. */
export function readHandler(handling: TaskHandling): RequestHandler {
  const { words, activity } = handling;
  return (request, response) => {
    activity.count('gets');
    const taskId = String(request.params['id']);
    const task = taskOf(handling, taskId);
    const shown = pollResponse(task.directives, activity.countPoll(taskId));
    if (shown === 'missing') throw words.notFound(taskId);
    const status = shown === 'odd_status' ? 'preparing' : undefined;
    respondToPoll(response, shown, words.shown(task, status));
  };
}

/** What is sent in place of the task. */
export const isBroken = (
  planned: PollResponse,
): planned is 'status_500' | 'status_502' | 'truncated' =>
  planned !== 'missing' && planned !== 'task' && planned !== 'odd_status';

/** Sends what a poll gets, or what its directives put in its place. */
export function respondToPoll(
  response: Response,
  planned: Exclude<PollResponse, 'missing'>,
  body: object,
): void {
  if (planned === 'status_500') {
    throw new PlainFailure(500, 'The service encountered an unexpected internal error.');
  }
  if (planned === 'status_502') {
    response
      .status(502)
      .type('html')
      .send('<html><head><title>502 Bad Gateway</title></head></html>');
  } else if (planned === 'truncated') sendHalf(response, body);
  else response.json(body);
}

/** A 200 whose JSON ends in the middle, as a broken proxy leaves it. */
function sendHalf(response: Response, body: object): void {
  const text = JSON.stringify(body);
  response.type('json').send(text.slice(0, Math.floor(text.length / 2)));
}

/** Cancels a queued task and erases one that is over. */
export function removeHandler(handling: TaskHandling): RequestHandler {
  const { words, store, lifecycle, activity } = handling;
  return (request, response) => {
    activity.count('deletes');
    const task = taskOf(handling, String(request.params['id']));
    if (task.status === 'running' || task.status === 'cancelled') {
      throw words.notRemovable(task.status);
    }
    if (task.status === 'queued') lifecycle.cancel(task);
    else store.remove(task.id);
    words.removed(response, task);
  };
}
