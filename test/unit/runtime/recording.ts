import type { Log } from '@gateway/runtime';
import type { Logger } from 'winston';

const formatted = Symbol.for('message');

/** What a real logger writes, line by line, kept off the terminal. */
export function linesOf(log: Log): readonly string[] {
  const lines: string[] = [];
  for (const transport of (log as unknown as Logger).transports) {
    transport.log = (info: Record<symbol, unknown>, next: () => void): void => {
      lines.push(String(info[formatted]));
      next();
    };
  }
  return lines;
}

/** The same, read as JSON. */
export const fieldsIn = (lines: readonly string[]): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>);

export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A promise that is settled from outside. */
export function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
