export { isoTime } from './iso-time.ts';
export { createLogger, type LoggerOptions } from './logger.ts';
export { redact } from './redact.ts';
export { createRequestLines, type RequestLines } from './request-lines.ts';
