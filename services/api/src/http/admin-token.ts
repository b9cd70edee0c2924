import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { GatewayError } from '@gateway/domain';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Lets a request through that carries the admin token as `Authorization: Bearer`. Digests are
 * compared, so that neither content nor length shows in the time it takes.
 */
export function requireAdminToken(adminToken: string): RequestHandler {
  const expected = digestOf(adminToken);
  return (request, _response, next) => {
    const presented = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!timingSafeEqual(digestOf(presented), expected)) {
      throw new GatewayError(
        'invalid_admin_token',
        'send the admin token as "Authorization: Bearer <ADMIN_TOKEN>"',
      );
    }
    next();
  };
}

/** A response to operators is for nobody else. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};
