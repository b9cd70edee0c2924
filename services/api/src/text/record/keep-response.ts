import { describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { References, Referred } from '@gateway/text-dialects';
import type { Preparation, RequestBody } from '../arrive/index.ts';
import { nowOrLater } from '../hot-path/index.ts';
import type { StoredResponses, TextRequest } from '../request/index.ts';

export interface KeepPorts {
  readonly stored: StoredResponses;
  readonly log: Pick<Log, 'warn'>;
  readonly preparation: Pick<Preparation, 'items'>;
}

/** A request whose response is to be kept. */
export interface Keeping {
  readonly body: RequestBody;
  readonly references: References | undefined;
  /** Those it refers to. */
  readonly items: Referred['items'];
}

/**
 * Hands the response over to be kept as soon as it is complete, and before its last bytes are sent: the
 * client's next request may name it at once. What it returns waits for a large body to be read again,
 * which must not be freed before.
 */
export function keepWhenComplete(
  { stored, preparation, log }: KeepPorts,
  request: TextRequest,
  { body, references, items }: Keeping,
): () => void | Promise<void> {
  let keeping: void | Promise<void>;
  // The response is complete: what cannot be kept must not cut it off.
  const lose = (error: unknown): void => {
    log.warn('response not kept', { requestId: request.requestId, reason: describeError(error) });
  };
  const keep = (response: Readonly<Record<string, unknown>>): void | Promise<void> =>
    nowOrLater(preparation.items(body, { kind: 'items', items }), (input) => {
      stored.keep({
        accountId: request.facts.caller?.accountId ?? '',
        responseId: String(response['id']),
        previousResponseId: references?.previousResponseId ?? null,
        input,
        response,
      });
    });
  request.onResponse = (response) => {
    try {
      const kept = keep(response);
      keeping = kept instanceof Promise ? kept.catch(lose) : undefined;
    } catch (error) {
      lose(error);
    }
  };
  return () => keeping;
}
