import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/domain';

/**
 * Throws origin_not_allowed for a page of an origin that nobody allowed: a name that is pointed at
 * this machine must not let a stranger's page speak to it. Whatever is no browser sends none.
 */
export function checkOrigin({ origin }: IncomingHttpHeaders, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return;
  throw new GatewayError(
    'origin_not_allowed',
    `pages of ${JSON.stringify(origin.slice(0, 200))} may not use this route; the operator allows origins in CORS_ORIGINS`,
  );
}
