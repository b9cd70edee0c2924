export { createLogger, type LoggerOptions } from './logger.ts';
export { redact } from './redact.ts';
