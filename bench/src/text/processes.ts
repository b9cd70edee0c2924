import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { ClosedJob, ClosedResult, HeldJob, HeldResult, Job, Reply } from './protocol.ts';

export interface ListeningProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Generator {
  readonly pid: number;
  run(job: ClosedJob): Promise<ClosedResult>;
  run(job: HeldJob): Promise<HeldResult>;
  stop(): Promise<void>;
}

/** Which core the measured process has to itself, and which one everything else shares. */
export const targetCore = 0;
export const otherCore = 1;
/** Both, as taskset lists them. */
export const anyCore = `${targetCore},${otherCore}`;

/** Read before anything is pinned: a pinned process sees one core. */
const hasTwoCores = availableParallelism() > otherCore;

/**
 * Moves all threads of a process to these cores; children that it starts later follow. False where
 * that cannot be done.
 */
export function pin(pid: number, cores: number | string): boolean {
  return (
    hasTwoCores && spawnSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)]).status === 0
  );
}

/** Starts one of this folder's servers; it inherits the core of the coordinator. */
export async function startServer(
  name: 'upstream' | 'bare-proxy',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ListeningProcess> {
  const child = start(name, args, env);
  const [{ port }] = (await Promise.race([once(child, 'message'), untimelyEnd(child, name)])) as [
    { port: number },
  ];
  return { url: `http://127.0.0.1:${port}`, pid: pidOf(child), stop: () => stop(child) };
}

export function startGenerator(): Generator {
  const child = start('generator', [], {});
  const end = untimelyEnd(child, 'generator');
  const run = async (job: Job): Promise<never> => {
    child.send(job);
    const [reply] = (await Promise.race([once(child, 'message'), end])) as [Reply];
    if (!reply.ok) throw new Error(reply.problem);
    // The generator returns the result of each job by its kind.
    return reply.result as never;
  };
  return { pid: pidOf(child), run, stop: () => stop(child) };
}

const start = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess =>
  fork(path.join(import.meta.dirname, `${name}.js`), args, {
    execArgv: [],
    env: { ...process.env, ...env },
  });

const pidOf = ({ pid }: ChildProcess): number => pid ?? NaN;

/** Rejects when the process ends; nobody has to listen. */
function untimelyEnd(child: ChildProcess, name: string): Promise<never> {
  const end = once(child, 'exit').then(() => {
    throw new Error(`the process ${name} ended`);
  });
  end.catch(() => undefined);
  return end;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
