import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type {
  AttackJob,
  AttackResult,
  CustomerJob,
  CustomerResult,
  Job,
  Reply,
} from './protocol.ts';

export interface Customer {
  run(job: CustomerJob): Promise<CustomerResult>;
  stop(): Promise<void>;
}

export interface Attacker {
  start(job: AttackJob): void;
  /** Ends the attack; gives what it got. */
  end(): Promise<AttackResult>;
  stop(): Promise<void>;
}

export function startCustomer(): Customer {
  const child = start('customer');
  return {
    run: async (job) => (await ask(child, job)) as CustomerResult,
    stop: () => stop(child),
  };
}

export function startAttacker(): Attacker {
  const child = start('attacker');
  return {
    start: (job) => {
      child.send(job);
    },
    end: async () => (await ask(child, { kind: 'stop' })) as AttackResult,
    stop: () => stop(child),
  };
}

/** The address of a server that reads and forgets. */
export async function startSwallower(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = start('swallower');
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => stop(child) };
}

const start = (name: 'customer' | 'attacker' | 'swallower'): ChildProcess =>
  fork(path.join(import.meta.dirname, `${name}.js`), [], { execArgv: [] });

/** Rejects when the process ends instead of replying, or says that it failed. */
async function ask(child: ChildProcess, job: Job): Promise<unknown> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('a process of the bench ended');
  });
  child.send(job);
  const [reply] = (await Promise.race([once(child, 'message'), ended])) as [Reply];
  // Still waited for by the race; it rejects when the process is stopped at the end.
  ended.catch(() => undefined);
  if (!reply.ok) throw new Error(reply.problem);
  return reply.result;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/** For the children: replies to each job, and ends with the coordinator. */
export function serveJobs(
  run: (job: Job) => Promise<CustomerResult | AttackResult | undefined>,
): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', (job: Job) => {
    void run(job).then(
      (result) => {
        if (result !== undefined) process.send?.({ ok: true, result } satisfies Reply);
      },
      (error: unknown) => process.send?.({ ok: false, problem: String(error) } satisfies Reply),
    );
  });
}
