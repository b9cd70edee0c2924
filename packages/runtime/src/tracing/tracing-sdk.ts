import {
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Link,
  type Span as SdkSpan,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Log } from '../log.ts';
import { redact } from '../logging/redact.ts';
import {
  readTraceparent,
  writeTraceparent,
  type FirstSpanStart,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type Tracing,
} from './span.ts';
import type { SamplerName, TracingPlan } from './tracing-settings.ts';

/** What waits for the collector is bounded; more is dropped, and no request notices. */
const maxWaiting = 4_096;
const batchSize = 512;
const exportEveryMs = 1_000;
const exportTimeoutMs = 5_000;
/** What a stopping process has not exported within this is lost. */
const flushMs = 3_000;
const complainEveryMs = 60_000;

/**
 * Spans of this process, exported in the background. Nothing is registered globally and no context
 * manager is used: the span that is under way stands in the log context, so that a process without
 * traces pays for none of it.
 */
export function createTracing(plan: TracingPlan): Tracing {
  const complaints = createComplaints();
  const processor = new BatchSpanProcessor(complaining(exporterOf(plan), complaints.note), {
    maxQueueSize: maxWaiting,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: exportEveryMs,
    exportTimeoutMillis: exportTimeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(plan.resource),
    sampler: samplerOf(plan.sampler, plan.ratio),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('generation-gateway');
  return {
    start: (name, start = {}) =>
      begin(
        {
          tracer,
          under: contextOf(start.parent),
          scope: { held: undefined, isDropped: false, isNoted: false },
        },
        name,
        start,
      ),
    startHeld(name, start = {}) {
      const scope: Scope = { held: [], isDropped: false, isNoted: false };
      const span = begin({ tracer, under: contextOf(start.parent), scope }, name, {
        ...start,
        isRoutine: true,
      });
      return {
        span,
        settle(isWorthIt) {
          span.end();
          const { held } = scope;
          scope.held = undefined;
          scope.isDropped = !isWorthIt && !scope.isNoted;
          if (!scope.isDropped) for (const tell of held ?? []) tell();
        },
      };
    },
    part: (log) => ({
      name: 'traces',
      start() {
        complaints.to(log);
        log.info('traces are exported', { to: new URL(plan.url).origin, sampler: plan.sampler });
        return Promise.resolve();
      },
      stop: () =>
        withinMs(
          provider.shutdown().catch(() => undefined),
          flushMs,
        ),
    }),
  };
}

/** Spans that are told together or not at all. */
interface Scope {
  /** Ends that wait for the decision; undefined once it has been made. */
  held: (() => void)[] | undefined;
  isDropped: boolean;
  isNoted: boolean;
}

interface Place {
  readonly tracer: Tracer;
  readonly under: Context;
  readonly scope: Scope;
}

const kinds: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  internal: Kind.INTERNAL,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
};

function begin(
  { tracer, under, scope }: Place,
  name: string,
  { kind = 'internal', attributes = {}, isRoutine = false, link }: FirstSpanStart,
): Span {
  const span = tracer.startSpan(
    name,
    { kind: kinds[kind], attributes: clean(attributes), startTime: nowMs(), links: linksTo(link) },
    under,
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  const below = { tracer, under: trace.setSpan(ROOT_CONTEXT, span), scope };
  if (!isRoutine) scope.isNoted = true;
  return {
    traceId,
    spanId,
    traceparent: writeTraceparent({
      traceId,
      spanId,
      isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
    }),
    child: (childName, start = {}) => begin(below, childName, start),
    rename: (newName) => {
      span.updateName(newName);
    },
    set: (more) => {
      span.setAttributes(clean(more));
    },
    fail(type) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', type);
    },
    end: () => {
      endIn(scope, span);
    },
  };
}

/** A span that is never ended is never exported. */
function endIn(scope: Scope, span: SdkSpan): void {
  const endMs = nowMs();
  if (scope.held !== undefined) {
    scope.held.push(() => {
      span.end(endMs);
    });
  } else if (!scope.isDropped) span.end(endMs);
}

/** One clock for both ends, finer than milliseconds. */
const nowMs = (): number => performance.timeOrigin + performance.now();

/** Nobody should put a secret into an attribute; this is the second wall. */
const clean = (attributes: SpanAttributes): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, redact(value) as string | number | boolean]],
    ),
  );

function contextOf(parent: FirstSpanStart['parent']): Context {
  const place = remotePlace(parent);
  return place === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, place);
}

function linksTo(traceparent: FirstSpanStart['link']): Link[] {
  const context = remotePlace(traceparent);
  return context === undefined ? [] : [{ context }];
}

function remotePlace(traceparent: string | undefined): SpanContext | undefined {
  const place = readTraceparent(traceparent);
  if (place === undefined) return undefined;
  const { traceId, spanId, isSampled } = place;
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  };
}

const exporterOf = ({ url, headers, encoding }: TracingPlan): SpanExporter => {
  const options = { url, headers: { ...headers }, timeoutMillis: exportTimeoutMs };
  return encoding === 'json' ? new JsonExporter(options) : new ProtobufExporter(options);
};

const samplerFor: Readonly<Record<SamplerName, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

const samplerOf = (name: SamplerName, ratio: number): Sampler => samplerFor[name](ratio);

/** A collector that is away must not fill the log either. */
function createComplaints(): { to(log: Log): void; note(error: Error | undefined): void } {
  let log: Log | undefined;
  let lastMs = -Infinity;
  return {
    to(given) {
      log = given;
    },
    note(error) {
      if (performance.now() - lastMs < complainEveryMs) return;
      lastMs = performance.now();
      log?.warn('traces could not be exported', { reason: error?.message ?? 'unknown' });
    },
  };
}

function complaining(
  exporter: SpanExporter,
  note: (error: Error | undefined) => void,
): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if ((result.code as number) !== 0) note(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}
