import { errorCatalogue, type GatewayError } from '@gateway/domain';
import type { Log } from '../log.ts';

/** Of a request, or of one of several things that a request asked for. */
export function logFailure(log: Log, error: GatewayError, thrown: unknown): void {
  const { status } = errorCatalogue[error.code];
  log[status >= 500 ? 'error' : 'debug']('request failed', {
    code: error.code,
    reason: error.message,
    ...(status >= 500 && { error: thrown }),
  });
}
