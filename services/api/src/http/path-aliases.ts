import type { RequestListener } from 'node:http';

/**
 * Clients that add /v1 to a base URL that already ends in /v1 ask for /v1/v1/…, and those of the
 * vendor's SDK whose base URL lacks it for /responses/….
 */
export const withPathAliases =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url?.startsWith('/v1/v1/')) request.url = request.url.slice('/v1'.length);
    if (request.url?.startsWith('/responses/')) request.url = `/v1${request.url}`;
    handler(request, response);
  };
