import { Router, type Request } from 'express';
import { GatewayError } from '@gateway/domain';
import type { ListModels, ModelPage } from '../../use-cases/list-models.ts';
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

/** `/v1/models` and `/models`, for any valid key. An id may hold slashes and colons, as they are or percent-encoded. */
export function modelRoutes({ authenticate, models }: ModelRoutesOptions): Router {
  const router = Router();
  for (const path of ['/v1/models', '/models']) {
    router.route(path)
      .get(authenticated(authenticate), (request, response) => {
        response.set('cache-control', 'no-store').json(listOf(models().list(callerOf(response), pageOf(request)), (model) => model));
      })
      .all(onlyMethods('GET'));
    router.route(`${path}/*id`)
      .get(authenticated(authenticate), (request, response) => {
        response.set('cache-control', 'no-store').json(models().find(callerOf(response), idOf(request.params['id'])));
      })
      .all(onlyMethods('GET'));
  }
  return router;
}

/** A wildcard arrives as the decoded parts between the slashes. */
const idOf = (parts: string | string[] | undefined): string => [parts ?? ''].flat().join('/').replace(/\/+$/, '');

/** `after_id` and `before_id` are the words of one dialect's clients, `after` that of the other's. */
function pageOf(request: Request): ModelPage {
  const limit = queryText(request, 'limit') ?? String(mostOnOnePage);
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > mostOnOnePage) {
    throw new GatewayError('invalid_parameter', `limit must be an integer between 1 and ${mostOnOnePage}; got ${JSON.stringify(limit.slice(0, 80))}`, { param: 'limit' });
  }
  return { limit: Number(limit), after: queryText(request, 'after_id') ?? queryText(request, 'after'), before: queryText(request, 'before_id') };
}
