import { Router } from 'express';
import { onlyMethods } from '../methods.ts';

/** What a person or a health prober finds at the front door. */
export function rootRoutes(version: string): Router {
  const router = Router();
  router.route('/')
    .get((_request, response) => {
      response.json({ name: 'generation-gateway', version, endpoints: { create_video: 'POST /v1/videos', get_video: 'GET /v1/videos/{id}' } });
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
