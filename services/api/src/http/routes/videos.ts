import { Router, type Request, type Response } from 'express';
import type { Task } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { TaskReads } from '@gateway/store';
import type { CancelVideo } from '../../use-cases/cancel-video.ts';
import type { CreatedVideo, CreateVideo } from '../../use-cases/create-video.ts';
import type { DeleteVideo } from '../../use-cases/delete-video.ts';
import type { QuoteVideo, VideoQuote } from '../../use-cases/quote-video.ts';
import type { ListTasks } from '../../use-cases/list-tasks.ts';
import { readField } from '../../use-cases/query-field.ts';
import { includeField, readVideosQuery } from '../../use-cases/read-videos-query.ts';
import {
  authenticated,
  authenticatedForWork,
  callerOf,
  type Authenticate,
} from '../authentication.ts';
import type { BodyRoutes } from '../json-body.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryText } from '../query-text.ts';
import { idempotencyKeyOf } from '../request-parts.ts';
import { quoteResource, type VideoResources } from '../video-resources.ts';

export interface VideoRoutesOptions {
  readonly authenticate: Authenticate;
  readonly createVideo: (request: CreateVideo) => Promise<CreatedVideo>;
  readonly cancelVideo: (request: CancelVideo) => Promise<Task>;
  readonly deleteVideo: (request: DeleteVideo) => Promise<void>;
  readonly findTask: TaskReads['findOrArchived'];
  readonly quoteVideo: (request: QuoteVideo) => Promise<VideoQuote>;
  readonly listTasks: ListTasks;
  readonly resources: VideoResources;
  readonly bodies: Pick<BodyRoutes, 'json'>;
  readonly bodyLimitBytes: number;
}

/** `/v1/videos`: translate, call one use case, translate back. */
export function videoRoutes(options: VideoRoutesOptions): Router {
  const router = Router();
  addCollectionRoutes(router, options);
  addTaskRoutes(router, options);
  return router;
}

function addCollectionRoutes(
  router: Router,
  {
    authenticate,
    createVideo,
    quoteVideo,
    listTasks,
    resources,
    bodies,
    bodyLimitBytes,
  }: VideoRoutesOptions,
): void {
  router
    .route('/v1/videos')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { question, search, withRequest } = readVideosQuery(request.query);
      const { items, hasMore, ...cursors } = await listTasks(
        { accountId: callerOf(response).accountId, ...question },
        search,
      );
      const shown = await resources.many(items, { withRequest });
      response
        .set('cache-control', 'no-store')
        .json({ ...listOf({ items: shown, hasMore }, (resource) => resource), ...cursors });
    })
    .post(
      authenticatedForWork(authenticate, 'videos:write'),
      bodies.json(bodyLimitBytes, async (request, response, body) => {
        const { task, replayed } = await createVideo({
          caller: callerOf(response),
          body: body.value,
          hashBody: body.hash,
          idempotencyKey: idempotencyKeyOf(request),
          requestId: response.locals['requestId'] as string,
          hasGone: () => response.destroyed,
        });
        if (replayed) response.set('idempotency-replayed', 'true');
        response.location(`/v1/videos/${task.id}`).json(await resources.one(task));
      }),
    )
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/v1/videos/quote')
    .post(
      authenticated(authenticate, 'videos:write'),
      bodies.json(bodyLimitBytes, async (_request, response, { value }) => {
        response
          .set('cache-control', 'no-store')
          .json(quoteResource(await quoteVideo({ caller: callerOf(response), body: value })));
      }),
    )
    .all(onlyMethods('POST'));
}

function addTaskRoutes(
  router: Router,
  { authenticate, cancelVideo, deleteVideo, findTask, resources }: VideoRoutesOptions,
): void {
  router
    .route('/v1/videos/:id')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { taskId, accountId } = namedTask(request, response);
      const task = await findTask(taskId, accountId);
      if (task === undefined) throw noSuchTask();
      const include = readField('include', queryText(request as Request, 'include'), includeField);
      response
        .set('cache-control', 'no-store')
        .json(await resources.one(task, { withRequest: include !== undefined }));
    })
    .delete(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const named = namedTask(request, response);
      await deleteVideo(named);
      response
        .set('cache-control', 'no-store')
        .json({ id: named.taskId, object: 'video.deleted', deleted: true });
    })
    .all(onlyMethods('GET', 'DELETE'));
  router
    .route('/v1/videos/:id/cancel')
    .post(authenticated(authenticate, 'videos:write'), async (request, response) => {
      const task = await cancelVideo(namedTask(request, response));
      response.set('cache-control', 'no-store').json(await resources.one(task));
    })
    .all(onlyMethods('POST'));
}

/** The task that the path names, as the caller's; throws when the name cannot be one. */
function namedTask(
  request: Request<{ id: string }>,
  response: Response,
): CancelVideo & DeleteVideo {
  const { id: taskId } = request.params;
  if (!isId('task', taskId)) throw noSuchTask();
  return { taskId, accountId: callerOf(response).accountId };
}

const noSuchTask = (): GatewayError =>
  new GatewayError('task_not_found', 'there is no such task in this account');
