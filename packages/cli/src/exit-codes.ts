import { ApiError, ConnectionError } from '@gateway/client';
import type { Terminal } from './terminal.ts';

/** What `gw` ends with; docs/gw.md lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  key: 3,
  quota: 4,
  connection: 5,
  unsuccessful: 6,
  interrupted: 130,
} as const;

/** A mistake in the command line: its message is all that there is to say. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something that a person can mend, with the exit code that it stands for. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

const ofStatus: Readonly<Partial<Record<number, number>>> = {
  401: exitCodes.key,
  402: exitCodes.quota,
  403: exitCodes.key,
};

/** The exit code that an error stands for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ConnectionError) return exitCodes.connection;
  if (error instanceof ApiError) return ofStatus[error.status] ?? exitCodes.failed;
  return exitCodes.failed;
}

/** An error as a person reads it, without a stack. */
function inWords(error: unknown): string {
  if (error instanceof ApiError) {
    const id = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    return `${error.message}${id}`;
  }
  return error instanceof Error ? error.message : String(error);
}

const inJson = (error: unknown): object =>
  error instanceof ApiError
    ? {
        message: error.message,
        code: error.code,
        param: error.param,
        status: error.status,
        request_id: error.requestId,
      }
    : { message: inWords(error) };

/** Tells what went wrong, and returns the exit code for it. */
export function report(error: unknown, terminal: Terminal, json: boolean): number {
  if (terminal.signal.aborted) {
    terminal.stderr.write('Interrupted.\n');
    return exitCodes.interrupted;
  }
  if (json) terminal.stdout.write(`${JSON.stringify({ error: inJson(error) })}\n`);
  else terminal.stderr.write(`gw: ${inWords(error)}\n`);
  return exitCodeOf(error);
}
