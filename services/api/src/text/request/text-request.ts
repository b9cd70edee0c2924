import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration } from '@gateway/contracts';
import { guarded, requestIdOf } from '@gateway/runtime';
import type { CompletionIdentity } from '@gateway/text-dialects';
import { newFacts, type Facts } from './facts.ts';
import type { TextPath } from './text-path.ts';
import type { TextTrace } from './trace.ts';

/** One function for all requests. */
export type OnException = (request: TextRequest, error: unknown) => void;

/** The state of one request of the text lane, from its arrival to the end of its response. */
export interface TextRequest {
  /** The client's HTTP request. */
  readonly incoming: IncomingMessage;
  /** Our HTTP response to it. */
  readonly response: ServerResponse;
  readonly path: TextPath;
  /** The address it came from. */
  readonly peer: string;
  /** The version this request is served by, whichever is loaded meanwhile. */
  readonly configuration: Configuration;
  readonly requestId: string;
  /** Milliseconds of the monotonic clock. */
  readonly startedMs: number;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Headers that the response carries whatever it is: names and values in turn. */
  readonly headers: string[];
  readonly facts: Facts;
  /** The client left before its response was complete. */
  clientGone: boolean;
  /** Undefined unless requests are traced. */
  trace?: TextTrace | undefined;
  /** Ends the request with an exception that its code threw outside of every promise. */
  readonly onException: OnException;
  /** Called with the whole Response object of the responses format, just before its end is sent. */
  onResponse: ((response: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Calls whose upstreams have not taken all of their bodies, whose memory is to be used again. */
  unsentBodies: number;
  /** Gives the running call up, if there is one. */
  abandon: (reason: string) => void;
}

/** The state of a request that has just arrived; notices when its client leaves. */
export function openTextRequest({
  incoming,
  response,
  path,
  peer,
  configuration,
  startedMs,
  startedAtMs,
  onException,
}: Pick<
  TextRequest,
  | 'incoming'
  | 'response'
  | 'path'
  | 'peer'
  | 'configuration'
  | 'startedMs'
  | 'startedAtMs'
  | 'onException'
>): TextRequest {
  const given = incoming.headers['x-request-id'];
  const requestId = requestIdOf(typeof given === 'string' ? given : undefined);
  const request: TextRequest = {
    incoming,
    response,
    path,
    peer,
    configuration,
    requestId,
    startedMs,
    startedAtMs,
    headers:
      path.dialect === 'messages'
        ? [...everyResponse, 'x-request-id', requestId, 'request-id', requestId]
        : [...everyResponse, 'x-request-id', requestId],
    facts: newFacts(),
    // It may have waited for its turn.
    clientGone: response.destroyed,
    trace: undefined,
    onException,
    onResponse: undefined,
    unsentBodies: 0,
    abandon: nothingToAbandon,
  };
  // Not the request's close: that comes as soon as its body is read.
  response.on(
    'close',
    guarded(
      (error) => {
        onException(request, error);
      },
      () => {
        if (response.writableFinished) return;
        request.clientGone = true;
        request.abandon('the client left');
      },
    ),
  );
  return request;
}

/** No browser may take a response for something else than it says it is. */
const everyResponse: readonly string[] = ['x-content-type-options', 'nosniff'];

const nothingToAbandon = (): void => undefined;

/** The ids and dates of a translated completion, as its client sees them. */
export const identityOf = ({ startedAtMs, startedMs, facts }: TextRequest): CompletionIdentity => ({
  model: facts.model ?? '',
  created: Math.floor(startedAtMs / 1000),
  now: () => Math.floor((startedAtMs + performance.now() - startedMs) / 1000),
  newSuffix: () => randomUUID().replaceAll('-', '').slice(0, 24),
});
