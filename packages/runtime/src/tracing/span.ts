import type { Log } from '../log.ts';
import type { Part } from '../lifecycle/part.ts';

export type SpanKind = 'server' | 'client' | 'internal' | 'producer' | 'consumer';

/**
 * Undefined ones are left out. Never a key, a token, an address with its path, or anything a
 * customer wrote.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  /** `internal` when left out. */
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Happens so often that it is no reason to report the attempt that it was part of. */
  readonly isRoutine?: boolean;
}

export interface FirstSpanStart extends SpanStart {
  /** W3C `traceparent` of what this continues; anything else, and nothing, begins a trace. */
  readonly parent?: string | undefined;
  /** W3C `traceparent` of what this belongs with, without being part of it. */
  readonly link?: string | undefined;
}

/** One step of a trace, with a beginning and an end. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** W3C `traceparent`, for whoever goes on with this trace. */
  readonly traceparent: string;
  child(name: string, start?: SpanStart): Span;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /**
   * Marks it as failed. `type` is a code or a class of errors, never a message: those may hold
   * anything.
   */
  fail(type: string): void;
  end(): void;
}

/** A span that is told only when it turns out to be worth it, with everything under it. */
export interface HeldSpan {
  readonly span: Span;
  /** Ends it. Told when `isWorthIt`, or when anything under it was no routine. */
  settle(isWorthIt: boolean): void;
}

/** Present in a process that exports traces. */
export interface Tracing {
  /** The first span of this process in its trace. */
  start(name: string, start?: FirstSpanStart): Span;
  startHeld(name: string, start?: FirstSpanStart): HeldSpan;
  /** At its stop, what is not exported yet gets a bounded time to leave. */
  part(log: Log): Part;
}

const w3c = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const nothing = /^0+$/;

export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** The place in a trace that a `traceparent` names; undefined for what is none. */
export function readTraceparent(header: string | undefined): SpanPlace | undefined {
  const [, traceId, spanId, flags] =
    (header !== undefined && header.length <= 200 && w3c.exec(header)) || [];
  if (
    traceId === undefined ||
    spanId === undefined ||
    flags === undefined ||
    nothing.test(traceId) ||
    nothing.test(spanId)
  ) {
    return undefined;
  }
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId, isSampled }: SpanPlace): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/**
 * What a log line says of the span it was written in, under the names that OpenTelemetry gives
 * them.
 */
export const spanFields = (
  span: Span | undefined,
): { readonly trace_id?: string; readonly span_id?: string } =>
  span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
