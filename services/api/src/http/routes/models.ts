import { Router, type Request } from 'express';
import type { ListModels, ModelPage } from '../../use-cases/list-models.ts';
import { readField } from '../../use-cases/query-field.ts';
import { limitField } from '../../use-cases/read-page-query.ts';
import { authenticated, callerOf, type Authenticate } from '../authentication.ts';
import { listOf } from '../list-resource.ts';
import { onlyMethods } from '../methods.ts';
import { queryText } from '../query-text.ts';

export interface ModelRoutesOptions {
  readonly authenticate: Authenticate;
  /** Of the version in use. */
  readonly models: () => ListModels;
}

const mostOnOnePage = 1_000;

/**
 * `/v1/models` and `/models`, for any valid key. An id may hold slashes and colons, as they are or
 * percent-encoded.
 */
export function modelRoutes({ authenticate, models }: ModelRoutesOptions): Router {
  const router = Router();
  for (const path of ['/v1/models', '/models']) {
    router
      .route(path)
      .get(authenticated(authenticate), (request, response) => {
        response
          .set('cache-control', 'no-store')
          .json(listOf(models().list(callerOf(response), pageOf(request)), (model) => model));
      })
      .all(onlyMethods('GET'));
    router
      .route(`${path}/*id`)
      .get(authenticated(authenticate), (request, response) => {
        response
          .set('cache-control', 'no-store')
          .json(models().find(callerOf(response), idOf(request.params['id'])));
      })
      .all(onlyMethods('GET'));
  }
  return router;
}

/** A wildcard arrives as the decoded parts between the slashes. */
const idOf = (parts: string | string[] | undefined): string =>
  [parts ?? ''].flat().join('/').replace(/\/+$/, '');

/**
 * `after_id` and `before_id` are the words of one dialect's clients, `after` that of the other's.
 */
function pageOf(request: Request): ModelPage {
  const limit =
    readField('limit', queryText(request, 'limit'), limitField(mostOnOnePage)) ?? mostOnOnePage;
  return {
    limit,
    after: queryText(request, 'after_id') ?? queryText(request, 'after'),
    before: queryText(request, 'before_id'),
  };
}
