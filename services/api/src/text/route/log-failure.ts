import type { TextRoute } from '@gateway/contracts';
import { spanFields, type Log } from '@gateway/runtime';
import type { TextRequest } from '../request/index.ts';
import type { CallFailure } from '../upstream/index.ts';
import { afterFailure } from './after-failure.ts';

/** System and TLS codes are shorter; whatever else calls itself a code is cut. */
const maxCodeLength = 64;

/**
 * One line for each call that an upstream failed: which one and how, never a key, a body or the
 * upstream's words. What is wrong with the request itself is the client's to read.
 */
export function logFailure(
  log: Pick<Log, 'warn'>,
  { requestId, facts, trace }: TextRequest,
  { route, failure }: { readonly route: TextRoute; readonly failure: CallFailure },
): void {
  if (
    failure.kind === 'aborted' ||
    (failure.kind === 'refused' && afterFailure(failure).again === 'no')
  ) {
    return;
  }
  log.warn('text upstream failed', {
    requestId,
    ...spanFields(trace?.server),
    provider: route.provider,
    route: route.name,
    attempt: facts.attempts,
    failure: failure.kind,
    ...(failure.kind === 'refused'
      ? { status: failure.status }
      : { code: failure.systemCode?.slice(0, maxCodeLength) ?? 'unknown' }),
  });
}
