import { Router } from 'express';
import type { OperatorEvent, OperatorFeed, SessionRecord } from '@gateway/store';
import { adminEventResource } from '../../admin-task-resource.ts';
import { operatorSessionOf } from '../../admin-token.ts';
import type { EventStreams } from '../../event-streams.ts';
import { eventPage, feedPlaceOf, type SealedPositions } from '../../feed-place.ts';
import { onlyMethods } from '../../methods.ts';
import type { StreamHolder } from '../../stream-keeper.ts';
import { wantsStream } from '../../wants-stream.ts';

export interface AdminEventRoutesOptions {
  /** For one request. */
  readonly openFeed: () => Pick<OperatorFeed, 'newest' | 'after'>;
  readonly most: number;
  readonly streams: Pick<EventStreams, 'openAll'>;
  readonly positions: SealedPositions;
  readonly now: () => Date;
  /** Rejects once a session has ended; undefined stands for the token itself. */
  readonly stillAllowed: (session: SessionRecord | undefined) => Promise<unknown>;
}

/** Positions are sealed for all operators alike: whoever goes on may be another one. */
const reader = 'operators';

/** `GET /admin/v1/events`: what happens to the tasks of all accounts, as a stream or page by page. */
export function adminEventRoutes({
  openFeed,
  most,
  streams,
  positions,
  now,
  stillAllowed,
}: AdminEventRoutesOptions): Router {
  const router = Router();
  const dataOf = createDataOf(now);
  router
    .route('/admin/v1/events')
    .get(async (request, response) => {
      const feed = openFeed();
      const place = feedPlaceOf(request, { newest: await feed.newest(), positions, reader });
      const session = operatorSessionOf(response);
      if (wantsStream(request)) {
        await streams.openAll({
          ...place,
          response,
          holder: holderOf(session),
          stillAllowed: () => stillAllowed(session),
          dataOf,
        });
        return;
      }
      const events = place.isResumed ? await feed.after(place.since, most) : [];
      const at = now();
      const data = events.map((event) => adminEventResource(event, at));
      response.vary('accept').json(eventPage(data, place));
    })
    .all(onlyMethods('GET'));
  return router;
}

/** An event is written once, however many streams it goes to. */
function createDataOf(now: () => Date): (event: OperatorEvent) => string {
  const written = new WeakMap<OperatorEvent, string>();
  return (event) => {
    const data = written.get(event) ?? JSON.stringify(adminEventResource(event, now()));
    written.set(event, data);
    return data;
  };
}

const holderOf = (session: SessionRecord | undefined): StreamHolder =>
  session === undefined
    ? { id: 'admin-token', name: 'admin token' }
    : { id: session.id, name: 'session' };
