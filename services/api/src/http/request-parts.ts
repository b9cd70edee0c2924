import type { Request } from 'express';
import { GatewayError } from '@gateway/domain';
import { queryTexts } from './query-text.ts';

/** The query parameters of a route. Refuses all others: a mistyped filter would show everything. */
export function knownQuery(
  request: Request<{ id: string }> | Request,
  names: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const unknown = Object.keys(request.query).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const param = unknown.slice(0, 80);
    throw new GatewayError(
      'unknown_parameter',
      `${JSON.stringify(param)} is not a known query parameter; ${names.length === 0 ? 'this route takes none' : `known parameters: ${names.join(', ')}`}`,
      { param },
    );
  }
  return queryTexts(request as Request, names);
}

/** The customer's or operator's own name for this request; undefined when it has none. */
export function idempotencyKeyOf(request: Pick<Request, 'get'>): string | undefined {
  const key = request.get('idempotency-key');
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new GatewayError(
      'invalid_parameter',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
      { param: 'Idempotency-Key' },
    );
  }
  return key;
}

/** The same of a request that may not be made without one. */
export function requiredKeyOf(request: Pick<Request, 'get'>): string {
  const key = idempotencyKeyOf(request);
  if (key !== undefined) return key;
  throw new GatewayError('missing_parameter', 'the header Idempotency-Key is required', {
    param: 'Idempotency-Key',
  });
}
