import type { TextModel, UsageRecord } from '@gateway/contracts';
import { countUnexpected, redact, spanFields, type HttpDuration, type Log } from '@gateway/runtime';
import type { TextRequest } from '../request/index.ts';
import { usageRecordOf } from './usage-record.ts';

export interface RecordPorts {
  readonly record: (usage: UsageRecord) => void;
  readonly duration: HttpDuration;
  /** The access line of one request. */
  readonly logRequest: (fields: Readonly<Record<string, unknown>>) => void;
  readonly log: Pick<Log, 'error'>;
}

/** Once for each request, when it is over: its usage, its metrics, its line. Never throws. */
export function recordRequest(ports: RecordPorts, request: TextRequest): void {
  try {
    account(ports, request);
  } catch (error) {
    countUnexpected('request');
    ports.log.error('usage of a request could not be recorded', {
      requestId: request.requestId,
      ...spanFields(request.trace?.server),
      error,
    });
    settle(request, undefined);
  }
}

function account({ record, duration, logRequest }: RecordPorts, request: TextRequest): void {
  const { facts, incoming, path, response, configuration } = request;
  const model = configuration.textModels.get(facts.model ?? '');
  const usage = facts.attempts > 0 ? usageRecordOf(request, model) : undefined;
  if (usage !== undefined) record(usage);
  settle(request, usage);
  const ms = performance.now() - request.startedMs;
  duration({ method: incoming.method, route: path.route, status: response.statusCode }, ms / 1000);
  if (request.trace !== undefined) request.trace.close(request, usage);
  logRequest(lineOf(request, { ms: Math.round(ms), model, usage }));
}

/** Once: a request that could not be accounted for is over all the same. */
function settle({ facts }: TextRequest, usage: UsageRecord | undefined): void {
  facts.reservation?.settle(usage === undefined ? 0 : Number(usage.cost_nano));
  facts.reservation = undefined;
}

/** Undefined fields are left out. A model that is not known is what a stranger typed. */
function lineOf(
  { facts, incoming, path, peer, response, requestId, clientGone, trace }: TextRequest,
  {
    ms,
    model,
    usage,
  }: { ms: number; model: TextModel | undefined; usage: UsageRecord | undefined },
): Readonly<Record<string, unknown>> {
  const line: Record<string, unknown> = {
    requestId,
    method: incoming.method,
    path: path.route,
    route: path.route,
    status: response.statusCode,
    ms,
    complete: !clientGone && (response.statusCode >= 400 || !facts.failed),
    peer,
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

/** One by one: a spread costs a short completion a microsecond. */
function addUsage(line: Record<string, unknown>, usage: UsageRecord, attempts: number): void {
  line['upstream'] = `${usage.provider}/${usage.upstream_model}`;
  line['attempts'] = attempts;
  line['firstByteMs'] = usage.first_byte_ms;
  line['inputTokens'] = usage.input_tokens;
  line['outputTokens'] = usage.output_tokens;
  line['estimated'] = usage.estimated;
}
