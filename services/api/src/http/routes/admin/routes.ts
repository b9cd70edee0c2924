import { Router, type RequestHandler } from 'express';
import type { AdminRequestReader } from '@gateway/contracts';
import type { Log } from '@gateway/runtime';
import type { GoneModels } from '@gateway/store';
import { goneRouteResource } from '../../admin-resource.ts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

export interface AdminRouteRoutesOptions {
  readonly read: Pick<AdminRequestReader, 'route'>;
  readonly goneModels: Pick<GoneModels, 'all' | 'forget'>;
  /** Reads a JSON body, which may be absent. */
  readonly json: RequestHandler;
  readonly log: Pick<Log, 'info'>;
}

/** `/admin/v1/routes`: which routes of video models get no task, because their vendor has no such model. */
export function adminRouteRoutes({ read, goneModels, json, log }: AdminRouteRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/routes/gone')
    .get(async (request, response) => {
      knownQuery(request, []);
      const found = await goneModels.all();
      response.json({ object: 'list', data: found.map(goneRouteResource) });
    })
    .all(onlyMethods('GET'));
  router
    .route('/admin/v1/routes/retry')
    .post(json, async (request, response) => {
      const route = read.route(request.body);
      const wasGone = await goneModels.forget(route);
      const { provider, upstreamModel } = route;
      log.info('an operator has tasks sent on a route again', { provider, upstreamModel, wasGone });
      response.json({
        object: 'admin.route_retry',
        provider,
        upstream_model: upstreamModel,
        was_gone: wasGone,
      });
    })
    .all(onlyMethods('POST'));
  return router;
}
