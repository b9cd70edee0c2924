import { Router } from 'express';
import { statusReport, type Configuration, type StatusFacts } from '@gateway/contracts';
import { onlyMethods } from '../../methods.ts';
import { knownQuery } from '../../request-parts.ts';

export interface AdminStatusRoutesOptions {
  readonly readStatus: () => Promise<Omit<StatusFacts, 'answeredBy'>>;
  readonly replicaId: string;
  readonly configuration: () => Pick<Configuration, 'providers'>;
}

/** `GET /admin/v1/status`: how providers, queues and replicas are doing now. */
export function adminStatusRoutes({
  readStatus,
  replicaId,
  configuration,
}: AdminStatusRoutesOptions): Router {
  const router = Router();
  router
    .route('/admin/v1/status')
    .get(async (request, response) => {
      knownQuery(request, []);
      const facts = await readStatus();
      response.json(statusReport({ ...facts, answeredBy: replicaId }, configuration().providers));
    })
    .all(onlyMethods('GET'));
  return router;
}
