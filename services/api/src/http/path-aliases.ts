import type { RequestListener } from 'node:http';

/** Clients that add /v1 to a base URL that already ends in /v1 ask for /v1/v1/… */
export const withPathAliases =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url?.startsWith('/v1/v1/')) request.url = request.url.slice('/v1'.length);
    handler(request, response);
  };
