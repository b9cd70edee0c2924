import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import { isoTime } from './iso-time.ts';
import { createLogger, type LoggerOptions } from './logger.ts';

/** Where lines go; returns what a stream's `write` does. */
export interface LineSink {
  write(text: string): unknown;
}

export interface RequestLines {
  /** Takes one request's line; `fields` must hold nothing that the log redacts. */
  write(fields: Readonly<Record<string, unknown>>): void;
  readonly part: Part;
}

/** Access lines like all others of a log. */
export const requestLinesInto = (log: Log): RequestLines => ({
  write: (fields) => {
    log.info('request', fields);
  },
  part: { name: 'request lines', stop: () => Promise.resolve() },
});

/** A log for people, or a test's own, takes access lines as it takes all others. */
export const openRequestLines = (options: LoggerOptions, log: Log | undefined): RequestLines =>
  log === undefined && options.format === 'json'
    ? createRequestLines(options)
    : requestLinesInto(log ?? createLogger(options));

/** Lines wait for company so long, or until they are so many. */
const flushMs = 25;
const flushLines = 256;

/**
 * The access lines of a service, in the very shape the logger gives it, without the logger: its
 * formats and streams cost 40 µs a line, as much as a small response's whole way through the text lane,
 * and a write of its own 10 µs more; this costs 3. A kill -9 loses lines of the last 25 ms and
 * nothing that counts.
 */
export function createRequestLines(
  { service, level }: Pick<LoggerOptions, 'service' | 'level'>,
  sink: LineSink = process.stdout,
): RequestLines {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    sink.write(waiting.join(''));
    waiting = [];
  };
  const end = `,"service":${JSON.stringify(service)},"timestamp":"`;
  const isWritten = level === 'info' || level === 'debug';
  return {
    write(fields) {
      if (!isWritten) return;
      waiting.push(
        `{"level":"info","message":"request"${pairsOf(fields)}${end}${isoTime(Date.now())}"}\n`,
      );
      if (waiting.length >= flushLines) flush();
      else timer ??= setTimeout(flush, flushMs);
    },
    part: {
      name: 'request lines',
      stop() {
        flush();
        return Promise.resolve();
      },
    },
  };
}

/**
 * What stands between the braces, with a comma in front. One call for the whole line: put together
 * field by field it takes twice as long.
 */
function pairsOf(fields: Readonly<Record<string, unknown>>): string {
  const pairs = JSON.stringify(fields).slice(1, -1);
  return pairs === '' ? '' : `,${pairs}`;
}
