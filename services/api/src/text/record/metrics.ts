import type { UsageRecord } from '@gateway/contracts';
import type { SharedLimits } from '@gateway/limits';
import { Gauge, createHistogram, type Registry, type Series } from '@gateway/runtime';
import type { OpenCompletions } from '../client/index.ts';

/** Seconds, as the OpenTelemetry conventions for generative AI ask for it. */
const secondsBuckets = Array.from({ length: 14 }, (_unused, power) => 0.01 * 2 ** power);
/** Tokens, likewise. */
const tokenBuckets = Array.from({ length: 14 }, (_unused, power) => 4 ** power);

interface MeasuredSeries {
  readonly duration: Series;
  readonly firstChunk: Series;
  readonly input: Series;
  readonly output: Series;
}

/**
 * Observes each request that reached an upstream, under the names of the conventions. Its labels
 * are names of gateway.yaml, never what a client sent.
 */
export function createTextMetrics(metrics: Registry): (usage: UsageRecord) => void {
  const registers = [metrics];
  const common = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
  const duration = createHistogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Time from the request to the end of the response, for text that reached an upstream.',
    labelNames: [...common, 'error_type'],
    buckets: secondsBuckets,
    registers,
  });
  const firstChunk = createHistogram({
    name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
    help: 'Time from the request to the first byte of the upstream’s response, for streams.',
    labelNames: common,
    buckets: secondsBuckets,
    registers,
  });
  const tokens = createHistogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of one request; those read from and written to a cache are input.',
    labelNames: [...common, 'gen_ai_token_type'],
    buckets: tokenBuckets,
    registers,
  });
  const known = new Map<string, MeasuredSeries>();
  const build = ({ provider, model }: UsageRecord, errorType: string): MeasuredSeries => {
    const labels = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    };
    return {
      duration: duration.series({ ...labels, error_type: errorType }),
      firstChunk: firstChunk.series(labels),
      input: tokens.series({ ...labels, gen_ai_token_type: 'input' }),
      output: tokens.series({ ...labels, gen_ai_token_type: 'output' }),
    };
  };
  return (usage) => {
    const errorType = errorTypeOf(usage);
    const key = `${errorType} ${usage.provider} ${usage.model}`;
    let measured = known.get(key);
    if (measured === undefined) known.set(key, (measured = build(usage, errorType)));
    observe(measured, usage);
  };
}

function observe(
  { duration, firstChunk, input, output }: MeasuredSeries,
  usage: UsageRecord,
): void {
  duration.observe(usage.duration_ms / 1000);
  if (usage.stream && usage.first_byte_ms !== null) firstChunk.observe(usage.first_byte_ms / 1000);
  const inputTokens = usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens;
  if (inputTokens > 0) input.observe(inputTokens);
  if (usage.output_tokens > 0) output.observe(usage.output_tokens);
}

/**
 * Empty, which Prometheus takes for no label, when all went well. A stream that broke off has no
 * status of its own.
 */
function errorTypeOf({ outcome, status }: UsageRecord): string {
  if (outcome === 'succeeded') return '';
  if (outcome === 'aborted') return 'aborted';
  return status >= 400 ? String(status) : 'broken';
}

const stateValues = { closed: 0, half_open: 1, open: 2 } as const;

/**
 * The circuits of the routes, as this replica knows them; routes that nobody used lately have none.
 */
export function breakerGauge(circuits: SharedLimits['routes'], metrics: Registry): void {
  const gauge = new Gauge({
    name: 'gateway_route_circuit_state',
    help: 'Circuit breaker of a text route: 0 closed, 1 on trial, 2 open.',
    labelNames: ['route'],
    registers: [metrics],
    collect() {
      gauge.reset();
      for (const [route, state] of circuits.states()) gauge.set({ route }, stateValues[state]);
    },
  });
}

export function openCompletionsGauge(open: Pick<OpenCompletions, 'size'>, metrics: Registry): void {
  const gauge = new Gauge({
    name: 'gateway_text_open_answers',
    help: 'Text responses under way.',
    registers: [metrics],
    collect: () => {
      gauge.set(open.size());
    },
  });
}
