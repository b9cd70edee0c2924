import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration } from '@gateway/contracts';
import { requestIdOf } from '@gateway/runtime';
import type { AnswerIdentity } from '@gateway/text-dialects';
import { newFacts, type Facts } from './facts.ts';
import type { TextPath } from './text-path.ts';
import type { TextTrace } from './trace.ts';

/** One request of the text lane from its arrival to the end of its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: TextPath;
  /** The version that this request is answered by, whatever is taken over meanwhile. */
  readonly configuration: Configuration;
  readonly requestId: string;
  /** Milliseconds of the monotonic clock. */
  readonly startedMs: number;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Headers that the answer carries whatever it is: names and values in turn. */
  readonly headers: string[];
  readonly facts: Facts;
  /** The client left before its answer was complete. */
  gone: boolean;
  /** Undefined unless requests are traced. */
  trace?: TextTrace | undefined;
  /** Gives the running call up, if there is one. */
  abandon: (reason: string) => void;
}

export function openExchange({
  request,
  response,
  path,
  configuration,
}: Pick<Exchange, 'request' | 'response' | 'path' | 'configuration'>): Exchange {
  const given = request.headers['x-request-id'];
  const requestId = requestIdOf(typeof given === 'string' ? given : undefined);
  const exchange: Exchange = {
    request,
    response,
    path,
    configuration,
    requestId,
    startedMs: performance.now(),
    startedAtMs: Date.now(),
    headers:
      path.dialect === 'messages'
        ? ['x-request-id', requestId, 'request-id', requestId]
        : ['x-request-id', requestId],
    facts: newFacts(),
    gone: false,
    trace: undefined,
    abandon: nothingToGiveUp,
  };
  // Not the request's close: that comes as soon as its body is read.
  response.on('close', () => {
    if (response.writableFinished) return;
    exchange.gone = true;
    exchange.abandon('the client left');
  });
  return exchange;
}

const nothingToGiveUp = (): void => undefined;

/** How the client is to see a translated answer. */
export const identityOf = ({ startedAtMs, facts }: Exchange): AnswerIdentity => ({
  model: facts.model ?? '',
  created: Math.floor(startedAtMs / 1000),
  newSuffix: () => randomUUID().replaceAll('-', '').slice(0, 24),
});
