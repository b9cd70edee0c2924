export { createLogger, type LoggerOptions } from './logger.ts';
export { isoTime } from './iso-time.ts';
export { redact } from './redact.ts';
export { openRequestLines, requestLinesInto, type RequestLines } from './request-lines.ts';
