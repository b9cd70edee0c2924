import type { RequestHandler } from 'express';
import { GatewayError } from '@gateway/domain';

/** Refuses every method that the routes before it did not take. */
export const onlyMethods =
  (...allowed: readonly string[]): RequestHandler =>
  (request) => {
    throw new GatewayError(
      'method_not_allowed',
      `${request.method} is not allowed here; use ${allowed.join(' or ')}`,
      { headers: { allow: allowed.join(', ') } },
    );
  };
