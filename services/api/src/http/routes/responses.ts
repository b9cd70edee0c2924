import { Router, type Request, type Response } from 'express';
import { GatewayError } from '@gateway/domain';
import type { ItemPage } from '@gateway/store';
import { hideThoughts } from '@gateway/text-dialects';
import { readField, type QueryField } from '../../use-cases/query-field.ts';
import { defaultLimit, limitField } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { onlyMethods } from '../methods.ts';
import { queryText } from '../query-text.ts';
import type { SendJson } from '../served-bytes.ts';

interface Named {
  readonly accountId: string;
  readonly responseId: string;
}

/** Finished responses that were kept for their account. */
export interface KeptResponses {
  /** As JSON. */
  readonly find: (named: Named) => Promise<string | undefined>;
  readonly inputPage: (
    query: Named & {
      readonly limit: number;
      readonly order: 'asc' | 'desc';
      readonly after: string | undefined;
    },
  ) => Promise<ItemPage | 'unknown_cursor' | undefined>;
  readonly remove: (named: Named) => Promise<boolean>;
}

export interface ResponseRoutesOptions {
  readonly authenticate: Authenticate;
  readonly kept: KeptResponses;
  readonly sendJson: SendJson;
}

type NamedRequest = Request<{ id: string }>;

/** `/v1/responses/{id}`: what `POST /v1/responses` of the text lane has kept. */
export function responseRoutes({ authenticate, kept, sendJson }: ResponseRoutesOptions): Router {
  const router = Router();
  const text = authenticated(authenticate, 'text');
  router
    .route('/v1/responses/:id')
    .get(text, async (request, response) => {
      refuseStream(request as Request);
      const { accountId, responseId } = named(request, response);
      const text = await kept.find({ accountId, responseId });
      if (text === undefined) refuseMissing(request, response);
      else {
        const isShown = includesThoughts(request as Request);
        sendJson(response, { accountId, text: isShown ? text : hideThoughts(text) });
      }
    })
    .delete(text, async (request, response) => {
      if (await kept.remove(named(request, response))) {
        response
          .set('cache-control', 'no-store')
          .json({ id: request.params.id, object: 'response', deleted: true });
      } else refuseMissing(request, response);
    })
    .all(onlyMethods('GET', 'DELETE'));
  router
    .route('/v1/responses/:id/input_items')
    .get(text, async (request, response) => {
      const query = { ...named(request, response), ...pageOf(request as Request) };
      const page = await kept.inputPage(query);
      if (page === 'unknown_cursor') throw unknownCursor(query.after);
      if (page === undefined) refuseMissing(request, response);
      else sendJson(response, { accountId: query.accountId, text: listText(page) });
    })
    .all(onlyMethods('GET'));
  router.route('/v1/responses/:id/cancel').all(text, async (request, response) => {
    if ((await kept.find(named(request, response))) === undefined) {
      refuseMissing(request, response);
    } else throw cannotCancel();
  });
  return router;
}

const named = (request: NamedRequest, response: Response): Named => ({
  accountId: callerOf(response).accountId,
  responseId: request.params.id,
});

function refuseStream(request: Request): void {
  if (['true', '1'].includes(queryText(request, 'stream') ?? '')) {
    throw new GatewayError(
      'unsupported_parameter',
      'a kept response is not streamed again: leave stream out to get it whole, or stream a new one with POST /v1/responses',
      { param: 'stream' },
    );
  }
}

/** What a client includes it writes once or several times, with or without brackets; SDKs with. */
const includesThoughts = ({ query }: Request): boolean =>
  [query['include'], query['include[]']].flat().includes('reasoning.encrypted_content');

/** As the vendor says it: clients that named this response then send their items anew. */
function refuseMissing(request: NamedRequest, response: Response): void {
  response
    .status(404)
    .set('cache-control', 'no-store')
    .json({
      error: {
        message: `Response with id '${request.params.id.slice(0, 200)}' not found.`,
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
}

const cannotCancel = (): GatewayError =>
  new GatewayError(
    'unsupported_parameter',
    'this response is finished, and responses in the background are not supported: to stop one under way, close its connection',
    { param: 'background' },
  );

const orderField: QueryField<'asc' | 'desc'> = {
  read: (text) => (text === 'asc' || text === 'desc' ? text : undefined),
  mustBe: 'asc or desc',
};

const pageOf = (request: Request) => ({
  limit: readField('limit', queryText(request, 'limit'), limitField()) ?? defaultLimit,
  order: readField('order', queryText(request, 'order'), orderField) ?? 'desc',
  after: queryText(request, 'after'),
});

const unknownCursor = (after: string | undefined): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `after must be the id of an input item of this response; got ${JSON.stringify(after?.slice(0, 80))}`,
    { param: 'after' },
  );

/** The items are JSON already, of up to some MiB: they are not read to be written again. */
function listText({ items, hasMore }: ItemPage): string {
  const rest = {
    first_id: items[0]?.itemId ?? null,
    last_id: items.at(-1)?.itemId ?? null,
    has_more: hasMore,
  };
  const data = items.map(({ body }) => body).join(',');
  return `{"object":"list","data":[${data}],${JSON.stringify(rest).slice(1)}`;
}
