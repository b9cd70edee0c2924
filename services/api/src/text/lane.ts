import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TextModel, UsageRecord } from '@gateway/contracts';
import { GatewayError, errorCatalogue } from '@gateway/domain';
import {
  failureOf,
  redact,
  spanFields,
  type Deadlines,
  type HttpDuration,
  type LiveConfiguration,
  type Log,
} from '@gateway/runtime';
import type { Admit } from './admit.ts';
import type { AnswerTask } from './compose-call.ts';
import { openExchange, type Exchange } from './exchange.ts';
import { matchTextPath } from './match-path.ts';
import { usageRecordOf } from './metering.ts';
import { nowOrLater } from './now-or-later.ts';
import type { Preparation } from './preparation.ts';
import { RequestBody, type Inspection } from './prepare.ts';
import { receiveBody, type BodyBounds } from './receive-body.ts';
import { sendError } from './send.ts';
import { openTrace, type TextTracing } from './trace.ts';
import { atTurnEnd } from './turn-end.ts';

export interface LanePorts {
  readonly admit: Admit;
  readonly preparation: Preparation;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  /** Quota the account has left, from a cache that is about a second old. */
  readonly availableOf: (accountId: string) => number | Promise<number>;
  readonly answerRequest: (exchange: Exchange, task: AnswerTask) => Promise<void>;
  readonly countTokens: (exchange: Exchange, model: TextModel, body: RequestBody) => Promise<void>;
  readonly record: (usage: UsageRecord) => void;
  readonly duration: HttpDuration;
  /** The access line of one request. */
  readonly logRequest: (fields: Readonly<Record<string, unknown>>) => void;
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
      finish(ports, exchange);
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

function checkModel(
  { facts, configuration: { textModels } }: Exchange,
  model: TextModel | undefined,
): asserts model is TextModel {
  const allowed = facts.caller?.models ?? [];
  const may = (name: string): boolean => allowed.length === 0 || allowed.includes(name);
  if (model === undefined) {
    const names = [...textModels.keys()].filter(may).slice(0, 20).join(', ');
    throw new GatewayError(
      'model_not_found',
      `the model ${JSON.stringify(facts.model)} does not exist; text models are: ${names}`,
      { param: 'model' },
    );
  }
  if (!may(model.name)) {
    throw new GatewayError(
      'model_not_allowed',
      `this API key may not use the model ${model.name}`,
      { param: 'model' },
    );
  }
}

function checkQuota(available: number): void {
  if (available <= 0) {
    throw new GatewayError(
      'insufficient_quota',
      `this model is charged by the token and the account has ${available} quota available; top it up`,
    );
  }
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

function finish(ports: LanePorts, exchange: Exchange): void {
  try {
    account(ports, exchange);
  } catch (error) {
    ports.log.error('a request could not be accounted for', {
      requestId: exchange.requestId,
      ...spanFields(exchange.trace?.server),
      error,
    });
  }
}

/** Once for each request: its usage, its measure, its line. */
function account({ record, duration, logRequest }: LanePorts, exchange: Exchange): void {
  const { facts, request, path, response, configuration } = exchange;
  const model = configuration.textModels.get(facts.model ?? '');
  const usage = facts.attempts > 0 ? usageRecordOf(exchange, model) : undefined;
  if (usage !== undefined) record(usage);
  const ms = performance.now() - exchange.startedMs;
  duration({ method: request.method, route: path.route, status: response.statusCode }, ms / 1000);
  if (exchange.trace !== undefined) exchange.trace.close(exchange, usage);
  logRequest(lineOf(exchange, { ms: Math.round(ms), model, usage }));
}

/** Undefined fields are left out. A model that is not known is what a stranger typed. */
function lineOf(
  { facts, request, path, response, requestId, gone, trace }: Exchange,
  {
    ms,
    model,
    usage,
  }: { ms: number; model: TextModel | undefined; usage: UsageRecord | undefined },
): Readonly<Record<string, unknown>> {
  const line: Record<string, unknown> = {
    requestId,
    method: request.method,
    path: path.route,
    route: path.route,
    status: response.statusCode,
    ms,
    complete: !gone && (response.statusCode >= 400 || !facts.failed),
    accountId: facts.caller?.accountId,
    keyId: facts.caller?.keyId,
    model: model?.name ?? redact(facts.model),
    stream: facts.stream,
    code: facts.error,
  };
  if (usage !== undefined) addUsage(line, usage, facts.attempts);
  if (trace !== undefined) Object.assign(line, spanFields(trace.server));
  return line;
}

/** One by one: a spread costs a small answer a microsecond. */
function addUsage(line: Record<string, unknown>, usage: UsageRecord, attempts: number): void {
  line['upstream'] = `${usage.provider}/${usage.upstream_model}`;
  line['attempts'] = attempts;
  line['firstByteMs'] = usage.first_byte_ms;
  line['inputTokens'] = usage.input_tokens;
  line['outputTokens'] = usage.output_tokens;
  line['estimated'] = usage.estimated;
}
