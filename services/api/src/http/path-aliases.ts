import type { RequestListener } from 'node:http';

/**
 * Clients whose base URL ends in /v1 and that add /v1 themselves ask for /v1/v1/…: they mean the
 * same.
 */
export const withPathAliases =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url?.startsWith('/v1/v1/')) request.url = request.url.slice('/v1'.length);
    handler(request, response);
  };
