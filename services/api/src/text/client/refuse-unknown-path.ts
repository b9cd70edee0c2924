import type { RequestHandler } from 'express';
import { GatewayError } from '@gateway/domain';
import { gatewayErrorBody } from '@gateway/text-dialects';

/**
 * Refuses paths that official clients of the messages dialect know and nobody serves here, such as
 * files and skills, in the words that these clients read: they send `anthropic-version` with every
 * request. Comes after all routes.
 */
export const refuseUnknownPath: RequestHandler = (request, response, next) => {
  if (request.get('anthropic-version') === undefined) {
    next();
    return;
  }
  const requestId = String(response.locals['requestId']);
  const { status, body } = gatewayErrorBody({
    dialect: 'messages',
    error: new GatewayError(
      'route_not_found',
      `${request.method} ${request.path.slice(0, 200)} does not exist`,
    ),
    requestId,
  });
  response.set({ 'request-id': requestId, 'cache-control': 'no-store' });
  response.status(status).json(body);
};
