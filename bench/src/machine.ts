import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { machineCpuSeconds, treeCpuSeconds } from './proc.ts';

/** Of a core, which other programs may use while we measure. */
export const quietCores = 0.2;

/** On what something was measured. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  /** Of the sources; `+` behind it where they have changes of their own. */
  readonly commit: string;
}

/** Before anything is pinned: a pinned process sees one core. */
export const describeMachine = (): Machine => ({
  node: process.version.slice(1),
  cores: availableParallelism(),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  commit: commitOfSources(),
});

function commitOfSources(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changed = git('status', '--porcelain', '--', ':/', ':!/bench/results', ':!/*.md');
    return `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : '+'}`;
  } catch {
    return 'unknown'; // a copy without its history
  }
}

export interface OthersWatch {
  /** How many cores other programs have used since the start or the last call, on average. */
  take(): number;
}

/** Watches what the machine does beside this process and all that it has started. */
export function watchOthers(): OthersWatch {
  const read = () => ({
    at: performance.now() / 1_000,
    machine: machineCpuSeconds(),
    own: treeCpuSeconds(process.pid),
  });
  let last = read();
  return {
    take() {
      const [before, now] = [last, read()];
      last = now;
      const others = now.machine - before.machine - (now.own - before.own);
      return Math.max(0, others / (now.at - before.at));
    },
  };
}
