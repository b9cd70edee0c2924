import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const program = path.resolve(import.meta.dirname, '../../packages/cli/bin/gw.mjs');

export interface Ran {
  /** Null where a signal has ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One gw that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written by now, on both streams. */
  printed(): string;
  readonly ended: Promise<Ran>;
}

/** Somebody's computer: a home, a folder to work in, and gw. */
export interface Home {
  readonly folder: string;
  /** Runs gw to its end. */
  gw(...args: string[]): Promise<Ran>;
  /** The same, with JSON of its standard output. */
  json(...args: string[]): Promise<{ readonly code: number | null; readonly data: unknown }>;
  start(...args: string[]): Running;
  /** With a pseudo-terminal, as a person has; all that it shows is `stdout`. */
  onTerminal(...args: string[]): Promise<Ran>;
  /** With this on its standard input. */
  piped(input: string, ...args: string[]): Promise<Ran>;
  /** Names of what gw remembers. */
  remembered(): Promise<string[]>;
  close(): Promise<void>;
}

/** A computer on which these variables are set. */
export async function openHome(env: Readonly<Record<string, string>>): Promise<Home> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gw-home-'));
  const running = new Set<ChildProcess>();
  const environment = { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', LANG: 'C', ...env };
  const launch = (file: string, args: readonly string[], input = ''): Running => {
    const child = spawn(file, args, { cwd: folder, env: environment, stdio: 'pipe' });
    running.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined).end(input);
    const ended = new Promise<Ran>((resolve) => {
      child.on('close', (code) => {
        running.delete(child);
        resolve({ code, stdout, stderr });
      });
    });
    return { child, printed: () => stdout + stderr, ended };
  };
  const start = (...args: string[]): Running => launch(process.execPath, [program, ...args]);
  const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  return {
    folder,
    start,
    gw: (...args) => start(...args).ended,
    async json(...args) {
      const { code, stdout } = await start(...args, '--json').ended;
      return { code, data: JSON.parse(stdout) as unknown };
    },
    onTerminal(...args) {
      const line = [process.execPath, program, ...args].map(quoted).join(' ');
      return launch('script', ['-qec', line, '/dev/null']).ended;
    },
    piped: (input, ...args) => launch(process.execPath, [program, ...args], input).ended,
    remembered: () => readdir(path.join(folder, '.local/state/gw/videos')).catch(() => []),
    async close() {
      for (const child of running) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
