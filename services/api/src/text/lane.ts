import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TextModel } from '@gateway/contracts';
import { errorCatalogue } from '@gateway/domain';
import { failureOf, spanFields, type LiveConfiguration, type Log } from '@gateway/runtime';
import {
  RequestBody,
  checkModel,
  checkQuota,
  receiveBody,
  type Admit,
  type BodyBounds,
  type CompletionRequest,
  type Inspection,
  type Preparation,
} from './arrive/index.ts';
import { sendGatewayError } from './client/index.ts';
import { atTurnEnd, nowOrLater, type Deadlines } from './hot-path/index.ts';
import { recordRequest, type RecordPorts } from './record/index.ts';
import {
  matchTextPath,
  openTextRequest,
  openTrace,
  type TextRequest,
  type TextTracing,
} from './request/index.ts';

export interface LanePorts extends RecordPorts {
  readonly admit: Admit;
  readonly preparation: Preparation;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  /** Quota the account has left, from a cache that is about a second old. */
  readonly availableOf: (accountId: string) => number | Promise<number>;
  readonly completeRequest: (request: TextRequest, wanted: CompletionRequest) => Promise<void>;
  readonly countTokens: (
    request: TextRequest,
    model: TextModel,
    body: RequestBody,
  ) => Promise<void>;
  readonly log: Log;
  readonly body: BodyBounds;
  readonly deadlines: Deadlines;
  /** Left out where requests are not traced: then nothing is done for it but to ask. */
  readonly tracing?: TextTracing | undefined;
}

/** Serves a request of the text lane and returns true, or leaves it alone and returns false. */
export type TextLane = (incoming: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `POST /v1/messages`, `POST /v1/messages/count_tokens` and `POST /v1/chat/completions`, outside
 * Express: measured on one core, Express with its body parser takes four times the CPU of this
 * lane.
 */
export function createTextLane(ports: LanePorts): TextLane {
  return (incoming, response) => {
    const path = matchTextPath(incoming.url ?? '');
    if (path === undefined) return false;
    const begin = (): void => {
      const request = openTextRequest({
        incoming,
        response,
        path,
        configuration: ports.configuration.current(),
      });
      if (ports.tracing !== undefined) request.trace = openTrace(ports.tracing, request);
      serve(ports, request).catch((error: unknown) => {
        ports.log.error('a response could not be written', {
          requestId: request.requestId,
          ...spanFields(request.trace?.server),
          error,
        });
        response.destroy();
      });
    };
    // A pipelined request waits for the one before it: until then nothing would say that the client
    // has left.
    if (response.socket === null) response.once('socket', begin);
    else begin();
    return true;
  };
}

async function serve(ports: LanePorts, request: TextRequest): Promise<void> {
  try {
    const admission = ports.admit(request);
    const { caller, slot } = admission instanceof Promise ? await admission : admission;
    request.facts.caller = caller;
    try {
      const body = new RequestBody(
        await receiveBody(request.incoming, ports.body, ports.deadlines),
      );
      try {
        await serveBody(ports, request, body);
      } finally {
        ports.preparation.release(body);
      }
    } finally {
      slot.release();
    }
  } catch (error) {
    sendFailure(ports.log, request, error);
  } finally {
    atTurnEnd('record', () => {
      recordRequest(ports, request);
    });
  }
}

function serveBody(
  ports: LanePorts,
  request: TextRequest,
  body: RequestBody,
): void | Promise<void> {
  const {
    path: { dialect, operation },
  } = request;
  return nowOrLater(
    ports.preparation.inspect(body, { kind: 'inspect', dialect, operation }),
    ({ head }) => serveInspected(ports, request, { body, head }),
  );
}

function serveInspected(
  { availableOf, completeRequest, countTokens }: LanePorts,
  request: TextRequest,
  { body, head }: { body: RequestBody } & Inspection,
): void | Promise<void> {
  const { facts, path, configuration } = request;
  const model = configuration.textModels.get(head.model);
  facts.model = head.model.slice(0, 128);
  facts.stream = head.stream;
  checkModel(request, model);
  if (request.trace !== undefined) request.trace.begin(model.name, path.operation);
  if (path.operation === 'count_tokens') return countTokens(request, model, body);
  const wanted = { model, body, wantsStream: head.stream, includeUsage: head.includeUsage };
  if (model.tokenPrice === undefined) return completeRequest(request, wanted);
  return nowOrLater(availableOf(facts.caller?.accountId ?? ''), (available) => {
    checkQuota(available);
    return completeRequest(request, wanted);
  });
}

function sendFailure(log: Log, request: TextRequest, thrown: unknown): void {
  const error = failureOf(thrown);
  const { requestId, response } = request;
  if (errorCatalogue[error.code].status >= 500) {
    log.error('request failed', {
      requestId,
      ...spanFields(request.trace?.server),
      code: error.code,
      reason: error.message,
      error: thrown,
    });
  }
  request.facts.failed = true;
  if (!response.headersSent) sendGatewayError(request, error);
  else response.destroy();
}
