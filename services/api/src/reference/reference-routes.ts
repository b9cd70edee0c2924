import { Router, type Request, type Response } from 'express';
import type { Reference } from './reference.ts';
import { onlyMethods } from '../http/methods.ts';
import { sendPage } from './send-page.ts';
import { rootRoutes } from './root-routes.ts';

/** The front door and the API reference, for programs and for people; no key needed. */
export function referenceRoutes(reference: Reference): Router {
  const { json, parts, docs } = reference;
  const router = Router();
  router.use(rootRoutes(reference));
  const files = {
    '/openapi.json': json,
    '/openapi/video.json': parts.video,
    '/openapi/text.json': parts.text,
  };
  for (const [path, { body, etag }] of Object.entries(files)) {
    router
      .route(path)
      .get((request, response) => {
        response.set('access-control-allow-origin', '*');
        if (!isKnown(request, response, etag)) response.type('application/json').send(body);
      })
      .all(onlyMethods('GET', 'HEAD'));
  }
  router
    .route('/docs')
    .get((request, response) => {
      if (!isKnown(request, response, docs.etag)) sendPage(response, docs);
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}

const cacheSeconds = 300;

/** Responds with 304 and returns true when the client has these bytes. */
function isKnown(request: Request, response: Response, etag: string): boolean {
  response.set({ etag, 'cache-control': `public, max-age=${cacheSeconds}` });
  const known = (request.get('if-none-match') ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (!known.includes(etag) && !known.includes('*')) return false;
  response.status(304).end();
  return true;
}
