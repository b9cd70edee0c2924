import { execFile } from 'node:child_process';
import { LocalStackError } from './local-stack-error.ts';
import { throwIfCancelled } from './wait.ts';

export interface CommandOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs the command as this user; only root may. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end. Any exit code is a result; exit code 127 stands for a program that
 * cannot be started.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { cwd, timeoutMs, env, signal, account } = options;
  const result = await new Promise<CommandResult>((resolve) => {
    execFile(
      command,
      args,
      {
        cwd,
        timeout: timeoutMs,
        env: env ?? process.env,
        signal,
        ...account,
        maxBuffer: 16_000_000,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ exitCode: 0, stdout, stderr });
        else {
          resolve({
            exitCode: typeof error.code === 'number' ? error.code : 127,
            stdout,
            stderr: stderr === '' ? error.message : stderr,
          });
        }
      },
    );
  });
  throwIfCancelled(signal);
  return result;
}

/** The same, for a program that has to succeed; `what` begins the sentence when it does not. */
export async function runOrThrow(
  what: string,
  command: readonly [string, ...string[]],
  options: CommandOptions,
): Promise<string> {
  const [program, ...args] = command;
  const result = await runCommand(program, args, options);
  if (result.exitCode === 0) return result.stdout;
  throw new LocalStackError(
    'command_failed',
    `${what} failed (exit code ${result.exitCode}):\n${indent(`${result.stdout}\n${result.stderr}`)}`,
  );
}

function indent(text: string): string {
  return text
    .trim()
    .split('\n')
    .slice(-20)
    .map((line) => `    ${line}`)
    .join('\n');
}
