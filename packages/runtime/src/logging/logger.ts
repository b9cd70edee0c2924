import winston from 'winston';
import { currentContext } from '../tracing/context.ts';
import type { Log } from '../log.ts';
import { redact } from './redact.ts';
import { spanFields } from '../tracing/span.ts';

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** `json` for machines, `text` for a person at a terminal. */
  readonly format: string;
}

const withContext = winston.format((info) => {
  const { span, scope: _, ...ids } = currentContext() ?? {};
  return Object.assign(info, ids, spanFields(span));
});
const redacted = winston.format((info) => {
  for (const [key, value] of Object.entries(info)) info[key] = redact(value);
  return info;
});
const readable = winston.format.printf(({ timestamp, level, service, message, ...fields }) => {
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  return `${String(timestamp)} ${level} ${String(service)} ${String(message)}${rest}`;
});

/**
 * One line a fact on standard output, with the ids of the request or job it belongs to, and without
 * secrets.
 */
export function createLogger({ service, level, format }: LoggerOptions): Log {
  return winston.createLogger({
    level,
    defaultMeta: { service },
    format: winston.format.combine(
      withContext(),
      redacted(),
      winston.format.timestamp(),
      format === 'text' ? readable : winston.format.json(),
    ),
    transports: [new winston.transports.Console()],
  });
}
