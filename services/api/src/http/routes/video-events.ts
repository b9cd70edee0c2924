import { Router, type Request } from 'express';
import { GatewayError, isId } from '@gateway/domain';
import type { TaskLists, TaskReads, TaskTimelines } from '@gateway/store';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import type { EventStreams } from '../event-streams.ts';
import { onlyMethods } from '../methods.ts';
import { wantsStream } from '../wants-stream.ts';
import { momentResources } from '../timeline-resource.ts';
import { eventResource, type VideoResources } from '../video-resources.ts';

export interface VideoEventRoutesOptions {
  readonly authenticate: Authenticate;
  readonly findTask: TaskReads['findOrArchived'];
  readonly eventsOf: TaskLists['events'];
  readonly timelineOf: TaskTimelines['find'];
  readonly streams: Pick<EventStreams, 'open'>;
  readonly resources: Pick<VideoResources, 'positionOf'>;
  /** Rejects when the key of a request is no longer valid. */
  readonly stillAllowed: (request: Request) => Promise<unknown>;
}

/**
 * `GET /v1/videos/{id}/events`: the history of a task, or a stream of it as it happens; and
 * `GET /v1/videos/{id}/timeline`: every moment that is on record.
 */
export function videoEventRoutes({
  authenticate,
  findTask,
  eventsOf,
  timelineOf,
  streams,
  resources,
  stillAllowed,
}: VideoEventRoutesOptions): Router {
  const router = Router();
  router
    .route('/v1/videos/:id/timeline')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { accountId } = callerOf(response);
      const { id } = request.params;
      const timeline = isId('task', id) ? await timelineOf(id, accountId) : undefined;
      if (timeline === undefined) throw noSuchTask();
      response
        .set('cache-control', 'no-store')
        .json({ object: 'list', data: momentResources(timeline), has_more: false });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v1/videos/:id/events')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { keyId, accountId } = callerOf(response);
      const { id } = request.params;
      const task = isId('task', id) ? await findTask(id, accountId) : undefined;
      if (task === undefined) throw noSuchTask();
      if (!wantsStream(request)) {
        const data = (await eventsOf(task.id)).map(eventResource);
        response
          .set('cache-control', 'no-store')
          .vary('accept')
          .json({ object: 'list', data, has_more: false });
        return;
      }
      const lastSequence = lastEventId(request);
      const [events, present] = await Promise.all([eventsOf(task.id), resources.positionOf(task)]);
      await streams.open({
        response,
        holder: { id: keyId, name: 'key' },
        task,
        events,
        lastSequence,
        present,
        stillAllowed: () => stillAllowed(request),
      });
    })
    .all(onlyMethods('GET'));
  return router;
}

const noSuchTask = (): GatewayError =>
  new GatewayError('task_not_found', 'there is no such task in this account');

function lastEventId(request: Request): number {
  const param = 'Last-Event-ID';
  const text = request.get(param) ?? '';
  if (text === '') return 0;
  if (!/^\d{1,9}$/.test(text)) {
    throw new GatewayError(
      'invalid_parameter',
      `${param} must be the id of an event of this stream, such as 2; got ${JSON.stringify(text.slice(0, 80))}`,
      { param },
    );
  }
  return Number(text);
}
