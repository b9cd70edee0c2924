import type { Request } from 'express';
import { GatewayError } from '@gateway/domain';

/** A query parameter that may stand once; undefined when it is absent or empty. */
export function queryText(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new GatewayError('invalid_parameter', `${name} may stand only once`, { param: name });
  return value;
}
