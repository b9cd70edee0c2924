export { createLogger, type LoggerOptions } from './logger.ts';
export { isoTime } from './iso-time.ts';
export { redact } from './redact.ts';
export { openRequestLines, type RequestLines } from './request-lines.ts';
