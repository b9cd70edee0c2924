import { Router, type Request } from 'express';
import type { MediaLinks } from '@gateway/contracts';
import type { EventFeed, FeedEvent } from '@gateway/store';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import type { EventStreams } from '../event-streams.ts';
import { eventPage, feedPlaceOf, type SealedPositions } from '../feed-place.ts';
import { onlyMethods } from '../methods.ts';
import { accountEventResource } from '../video-resources.ts';
import { wantsStream } from '../wants-stream.ts';

export interface EventRoutesOptions {
  readonly authenticate: Authenticate;
  readonly feed: EventFeed;
  readonly streams: Pick<EventStreams, 'openAccount'>;
  readonly links: MediaLinks;
  readonly positions: SealedPositions;
  /** Rejects when the key of a request is no longer valid. */
  readonly stillAllowed: (request: Request) => Promise<unknown>;
}

/** `GET /v1/events`: what happens to all tasks of an account, as a stream or page by page. */
export function eventRoutes({
  authenticate,
  feed,
  streams,
  links,
  positions,
  stillAllowed,
}: EventRoutesOptions): Router {
  const router = Router();
  const resourceOf = (event: FeedEvent) => accountEventResource(event, links);
  router
    .route('/v1/events')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { keyId, accountId } = callerOf(response);
      const newest = await feed.newest();
      const place = feedPlaceOf(request, { newest, positions, reader: accountId });
      if (wantsStream(request)) {
        await streams.openAccount({
          ...place,
          response,
          holder: { id: keyId, name: 'key' },
          accountId,
          stillAllowed: () => stillAllowed(request),
          dataOf: (event) => JSON.stringify(resourceOf(event)),
        });
        return;
      }
      const events = place.isResumed ? await feed.after(place.since, [accountId]) : [];
      response
        .set('cache-control', 'no-store')
        .vary('accept')
        .json(eventPage(events.map(resourceOf), place));
    })
    .all(onlyMethods('GET'));
  return router;
}
