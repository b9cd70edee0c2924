import type { TextModel, UsageRecord } from '@gateway/contracts';
import { redact, spanFields, type HttpDuration, type Log } from '@gateway/runtime';
import type { Exchange } from '../request/index.ts';
import { usageRecordOf } from './usage-record.ts';

export interface RecordPorts {
  readonly record: (usage: UsageRecord) => void;
  readonly duration: HttpDuration;
  /** The access line of one request. */
  readonly logRequest: (fields: Readonly<Record<string, unknown>>) => void;
  readonly log: Pick<Log, 'error'>;
}

/** Once for each request, when it is over: its usage, its metrics, its line. Never throws. */
export function recordRequest(ports: RecordPorts, exchange: Exchange): void {
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

function account({ record, duration, logRequest }: RecordPorts, exchange: Exchange): void {
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
