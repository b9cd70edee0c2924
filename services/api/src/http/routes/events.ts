import { Router, type Request } from 'express';
import type { MediaLinks } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { EventFeed, FeedEvent } from '@gateway/store';
import { mostBehind } from '../../use-cases/follow-accounts.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import type { EventStreams } from '../event-streams.ts';
import { onlyMethods } from '../methods.ts';
import { knownQuery } from '../request-parts.ts';
import { accountEventResource } from '../video-resources.ts';
import { wantsStream } from '../wants-stream.ts';

/** Positions in the feed of all accounts' events, as one account may see them. */
export interface SealedPositions {
  seal(position: number, accountId: string): string;
  /** Undefined when it was not sealed for this account, or with a key that is no longer there. */
  open(sealed: string, accountId: string): number | undefined;
}

export interface EventRoutesOptions {
  readonly authenticate: Authenticate;
  readonly feed: EventFeed;
  readonly streams: Pick<EventStreams, 'openAccount'>;
  readonly links: MediaLinks;
  readonly positions: SealedPositions;
  /** Rejects when the key of a request is no longer valid. */
  readonly stillAllowed: (request: Request) => Promise<unknown>;
}

/** As positions are sealed; the numbers of all accounts' events are nobody's to know. */
export const sealedPattern = '^[A-Za-z0-9_-]{48}$';
/** Events of other accounts, too, stand between two positions: so many may still be on their way. */
const backwards = 1_000;

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
  const dataOf = (event: FeedEvent) => accountEventResource(event, links);
  router
    .route('/v1/events')
    .get(authenticated(authenticate, 'videos:read'), async (request, response) => {
      const { keyId, accountId } = callerOf(response);
      const { after } = knownQuery(request, ['after']);
      const asked =
        sealedIn('Last-Event-ID', request.get('last-event-id')) ?? sealedIn('after', after);
      const newest = await feed.newest();
      const soFar = Math.max(newest - backwards, 0);
      const known = asked === undefined ? undefined : positions.open(asked, accountId);
      const isReset = asked !== undefined && !isWithin(known, newest);
      const since = known === undefined || isReset ? soFar : known;
      const idOf = (position: number) => positions.seal(position, accountId);
      if (wantsStream(request)) {
        const allowed = () => stillAllowed(request);
        await streams.openAccount({
          response,
          keyId,
          accountId,
          stillAllowed: allowed,
          since,
          isReset,
          idOf,
          dataOf,
        });
        return;
      }
      const events = asked === undefined || isReset ? [] : await feed.after(since, [accountId]);
      response
        .set('cache-control', 'no-store')
        .vary('accept')
        .json({
          object: 'list',
          data: events.map(dataOf),
          last_id: idOf(Math.max(since, soFar)),
          reset: isReset,
          has_more: false,
        });
    })
    .all(onlyMethods('GET'));
  return router;
}

/** A position from before a backup was restored may be ahead of all there is. */
const isWithin = (position: number | undefined, newest: number): boolean =>
  position !== undefined && position <= newest && newest - position <= mostBehind;

function sealedIn(param: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (new RegExp(sealedPattern).test(text)) return text;
  throw new GatewayError(
    'invalid_parameter',
    `${param} must be an id that this route gave; got ${JSON.stringify(text.slice(0, 80))}`,
    { param },
  );
}
