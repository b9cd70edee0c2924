import { spawn, type ChildProcess } from 'node:child_process';
import { withLogFile } from './log-file.ts';
import { signalProcess } from './processes.ts';

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
}

export interface Child {
  readonly pid: number | undefined;
  /** Signals the process alone; false when it is gone. */
  kill(signal: NodeJS.Signals): boolean;
  /** SIGTERM, a bounded wait, SIGKILL. */
  end(timeoutMs: number): Promise<void>;
}

export interface ChildEnd {
  /** In words. */
  readonly how: string;
  /** Null for a process that was killed or could not be started. */
  readonly exitCode: number | null;
}

const leaders = new Set<number>();

/**
 * Starts a process in a group of its own (a Ctrl-C in the terminal reaches us alone, so that we
 * decide the order), with its output in a log file and a stdin that ends when we are gone. `onEnd`
 * is called once, with how it ended.
 */
export function launchChild(spec: ChildSpec, onEnd: (end: ChildEnd) => void): Child {
  const child = withLogFile(spec.logFile, (log) =>
    spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: ['pipe', log, log],
    }),
  );
  child.stdin?.on('error', () => undefined);
  if (child.pid !== undefined) leaders.add(child.pid);
  const ended = new Promise<void>((resolve) => {
    const finish = (end: ChildEnd): void => {
      killGroup(child);
      onEnd(end);
      resolve();
    };
    child.once('exit', (code, signal) => {
      finish({ how: signal ?? `exit code ${String(code)}`, exitCode: code });
    });
    child.once('error', (error) => {
      if (child.pid === undefined) finish({ how: error.message, exitCode: null });
    });
  });
  return {
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    end: async (timeoutMs) => {
      child.kill('SIGTERM');
      const force = setTimeout(() => {
        killGroup(child);
      }, timeoutMs);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Kills every process started here and what those started, at once. For the second Ctrl-C only. */
export function killAllChildren(): void {
  for (const pid of leaders) signalProcess(-pid, 'SIGKILL');
}

/** What a process left behind in its group goes with it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  leaders.delete(pid);
  signalProcess(-pid, 'SIGKILL');
}
