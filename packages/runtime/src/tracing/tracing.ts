import { currentContext, runWith } from './context.ts';
import type { Span, SpanStart, Tracing } from './span.ts';
import { tracingPlan, type TracingSettings } from './tracing-settings.ts';

/** Undefined unless the settings name a collector: then nothing of OpenTelemetry is loaded. */
export async function openTracing(
  service: string,
  settings: Readonly<TracingSettings>,
): Promise<Tracing | undefined> {
  const plan = tracingPlan(service, settings);
  if (plan === undefined) return undefined;
  const { createTracing } = await import('./tracing-sdk.ts');
  return createTracing(plan);
}

/**
 * Runs `body` as a step of the trace that this request or job belongs to; without one, just runs
 * it.
 */
export async function inSpan<R>(
  name: string,
  start: SpanStart,
  body: (span: Span | undefined) => Promise<R>,
): Promise<R> {
  const context = currentContext();
  if (context?.span === undefined) return body(undefined);
  const span = context.span.child(name, start);
  try {
    return await runWith({ ...context, span }, () => body(span));
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A short name of what was thrown: its code, else its class. */
export function errorType(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  const type = typeof code === 'string' ? code : name;
  return typeof type === 'string' && type !== '' ? type.slice(0, 64) : '_OTHER';
}
