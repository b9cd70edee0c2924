export { currentContext, runWith, type FaultScope, type LogContext } from './context.ts';
export {
  readTraceparent,
  spanFields,
  writeTraceparent,
  type Span,
  type SpanAttributes,
  type SpanStart,
  type Tracing,
} from './span.ts';
export { tracingPlan, tracingSettingSchemas, type TracingSettings } from './tracing-settings.ts';
export { errorType, inSpan, openTracing } from './tracing.ts';
