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
  type AnswerTask,
  type BodyBounds,
  type Inspection,
  type Preparation,
} from './arrive/index.ts';
import { sendError } from './client/index.ts';
import { atTurnEnd, nowOrLater, type Deadlines } from './hot-path/index.ts';
import { recordRequest, type RecordPorts } from './record/index.ts';
import {
  matchTextPath,
  openExchange,
  openTrace,
  type Exchange,
  type TextTracing,
} from './request/index.ts';

export interface LanePorts extends RecordPorts {
  readonly admit: Admit;
  readonly preparation: Preparation;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  /** Quota the account has left, from a cache that is about a second old. */
  readonly availableOf: (accountId: string) => number | Promise<number>;
  readonly answerRequest: (exchange: Exchange, task: AnswerTask) => Promise<void>;
  readonly countTokens: (exchange: Exchange, model: TextModel, body: RequestBody) => Promise<void>;
  readonly log: Log;
  readonly body: BodyBounds;
  readonly deadlines: Deadlines;
  /** Left out where requests are not traced: then nothing is done for it but to ask. */
  readonly tracing?: TextTracing | undefined;
}

/** Serves a request of the text lane and answers true, or leaves it alone and answers false. */
export type TextLane = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `POST /v1/messages`, `POST /v1/messages/count_tokens` and `POST /v1/chat/completions`, beside
 * Express and not through it: measured on one core, Express with its body parser takes four times
 * the CPU of what stands here.
 */
export function createTextLane(ports: LanePorts): TextLane {
  return (request, response) => {
    const path = matchTextPath(request.url ?? '');
    if (path === undefined) return false;
    const begin = (): void => {
      const exchange = openExchange({
        request,
        response,
        path,
        configuration: ports.configuration.current(),
      });
      if (ports.tracing !== undefined) exchange.trace = openTrace(ports.tracing, exchange);
      serve(ports, exchange).catch((error: unknown) => {
        ports.log.error('an answer could not be written', {
          requestId: exchange.requestId,
          ...spanFields(exchange.trace?.server),
          error,
        });
        response.destroy();
      });
    };
    // A request sent behind another on its connection waits its turn: before that nobody would tell
    // us that the client has left.
    if (response.socket === null) response.once('socket', begin);
    else begin();
    return true;
  };
}

async function serve(ports: LanePorts, exchange: Exchange): Promise<void> {
  try {
    const admission = ports.admit(exchange);
    const { caller, slot } = admission instanceof Promise ? await admission : admission;
    exchange.facts.caller = caller;
    try {
      const body = new RequestBody(
        await receiveBody(exchange.request, ports.body, ports.deadlines),
      );
      try {
        await answer(ports, exchange, body);
      } finally {
        ports.preparation.release(body);
      }
    } finally {
      slot.release();
    }
  } catch (error) {
    answerFailure(ports.log, exchange, error);
  } finally {
    atTurnEnd('record', () => {
      recordRequest(ports, exchange);
    });
  }
}

function answer(ports: LanePorts, exchange: Exchange, body: RequestBody): void | Promise<void> {
  const {
    path: { dialect, operation },
  } = exchange;
  return nowOrLater(
    ports.preparation.inspect(body, { kind: 'inspect', dialect, operation }),
    ({ head }) => answerInspected(ports, exchange, { body, head }),
  );
}

function answerInspected(
  { availableOf, answerRequest, countTokens }: LanePorts,
  exchange: Exchange,
  { body, head }: { body: RequestBody } & Inspection,
): void | Promise<void> {
  const { facts, path, configuration } = exchange;
  const model = configuration.textModels.get(head.model);
  facts.model = head.model.slice(0, 128);
  facts.stream = head.stream;
  checkModel(exchange, model);
  if (exchange.trace !== undefined) exchange.trace.begin(model.name, path.operation);
  if (path.operation === 'count_tokens') return countTokens(exchange, model, body);
  const task = { model, body, wantsStream: head.stream, includeUsage: head.includeUsage };
  if (model.tokenPrice === undefined) return answerRequest(exchange, task);
  return nowOrLater(availableOf(facts.caller?.accountId ?? ''), (available) => {
    checkQuota(available);
    return answerRequest(exchange, task);
  });
}

function answerFailure(log: Log, exchange: Exchange, thrown: unknown): void {
  const error = failureOf(thrown);
  const { requestId, response } = exchange;
  if (errorCatalogue[error.code].status >= 500) {
    log.error('request failed', {
      requestId,
      ...spanFields(exchange.trace?.server),
      code: error.code,
      reason: error.message,
      error: thrown,
    });
  }
  exchange.facts.failed = true;
  if (!response.headersSent) sendError(exchange, error);
  else response.destroy();
}
