import type { Request } from 'express';
import { GatewayError } from '@gateway/domain';

/**
 * A query parameter that may stand once; undefined when it is absent or empty. Throws
 * invalid_parameter, also for the character that no database stores.
 */
export function queryText(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') {
    throw new GatewayError('invalid_parameter', `${name} may appear only once`, { param: name });
  }
  if (value.includes('\0')) {
    throw new GatewayError('invalid_parameter', `${name} must not contain the character NUL`, {
      param: name,
    });
  }
  return value;
}

/** The same for several, by name. */
export const queryTexts = (
  request: Request,
  names: readonly string[],
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(names.map((name) => [name, queryText(request, name)]));
