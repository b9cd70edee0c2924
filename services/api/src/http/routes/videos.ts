import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { videoResource, type MediaLinks, type Task, type VideoResource } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { CreatedVideo, CreateVideo } from '../../use-cases/create-video.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { onlyMethods } from '../methods.ts';

export interface VideoRoutesOptions {
  readonly authenticate: Authenticate;
  readonly createVideo: (request: CreateVideo) => Promise<CreatedVideo>;
  readonly cancelVideo: (request: TaskOfAccount) => Promise<Task>;
  readonly deleteVideo: (request: TaskOfAccount) => Promise<void>;
  readonly findTask: (taskId: string, accountId: string) => Promise<Task | undefined>;
  /** How many turns until a queued task has its own; undefined when it cannot be told. */
  readonly queuePosition: (taskId: string) => Promise<number | undefined>;
  readonly links: MediaLinks;
  readonly bodyLimitBytes: number;
}

interface TaskOfAccount {
  readonly taskId: string;
  readonly accountId: string;
}

/** `/v1/videos`: translate, call one use case, translate back. */
export function videoRoutes({ authenticate, createVideo, cancelVideo, deleteVideo, findTask, queuePosition, links, bodyLimitBytes }: VideoRoutesOptions): Router {
  const router = Router();
  const resourceOf = async (task: Task): Promise<VideoResource> => {
    // The task stands whether its place in line can be told or not.
    const position = task.status === 'queued' ? await queuePosition(task.id).catch(() => undefined) : undefined;
    return { ...videoResource(task, links), ...(position !== undefined && { queue_position: position }) };
  };
  router.route('/v1/videos')
    .post(authenticated(authenticate, 'videos:write'), requireJson, express.json({ limit: bodyLimitBytes, strict: false, type: () => true }), async (request, response) => {
      const { task, replayed } = await createVideo({
        caller: callerOf(response),
        body: request.body,
        idempotencyKey: idempotencyKeyOf(request),
        requestId: response.locals['requestId'] as string,
      });
      if (replayed) response.set('idempotency-replayed', 'true');
      response.location(`/v1/videos/${task.id}`).json(await resourceOf(task));
    })
    .all(onlyMethods('POST'));
  router.route('/v1/videos/:id')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { taskId, accountId } = namedTask(request, response);
      const task = await findTask(taskId, accountId);
      if (task === undefined) throw noSuchTask();
      response.set('cache-control', 'no-store').json(await resourceOf(task));
    })
    .delete(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const named = namedTask(request, response);
      await deleteVideo(named);
      response.set('cache-control', 'no-store').json({ id: named.taskId, object: 'video.deleted', deleted: true });
    })
    .all(onlyMethods('GET', 'DELETE'));
  router.route('/v1/videos/:id/cancel')
    .post(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const task = await cancelVideo(namedTask(request, response));
      response.set('cache-control', 'no-store').json(await resourceOf(task));
    })
    .all(onlyMethods('POST'));
  return router;
}

/** The task that the path names, as the caller's; throws when the name cannot be one. */
function namedTask(request: Request<{ id: string }>, response: Response): TaskOfAccount {
  const { id: taskId } = request.params;
  if (!isId('task', taskId)) throw noSuchTask();
  return { taskId, accountId: callerOf(response).accountId };
}

const noSuchTask = (): GatewayError => new GatewayError('task_not_found', 'there is no such task in this account');

const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') !== 'application/json') {
    throw new GatewayError('unsupported_media_type', `content-type must be application/json; got ${JSON.stringify(request.get('content-type') ?? '')}`);
  }
  next();
};

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.get('idempotency-key');
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new GatewayError('invalid_parameter', 'Idempotency-Key must be 1 to 255 printable ASCII characters', { param: 'Idempotency-Key' });
  }
  return key;
}
