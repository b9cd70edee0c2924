import { fork } from 'node:child_process';
import path from 'node:path';
import type { Which } from './actors/brief.ts';
import type { Story } from './simulate.ts';

/** Lets Node read the sources. */
const sources = path.join(import.meta.dirname, '../runner/register.js');

/** What a process of its own is asked for, one world after the other. */
export interface Ask extends Which {
  /** The key of a protection. */
  readonly without: string | undefined;
}

export type Told = Omit<Story, 'lines'>;

/**
 * Worlds in several processes: whoever is done takes the next. Tells each as soon as it is over, in
 * no order; the seeds decide what happens in them, and nothing else does.
 */
export async function simulateInProcesses(
  { asks, workers }: { readonly asks: readonly Ask[]; readonly workers: number },
  onStory: (story: Told) => void,
): Promise<void> {
  const left = [...asks];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(path.join(import.meta.dirname, 'worker.ts'), {
        execArgv: ['--import', sources],
      });
      let asked: Ask | undefined;
      const goOn = (): void => {
        asked = left.shift();
        if (asked === undefined) child.disconnect();
        else child.send(asked);
      };
      child.on('message', (story: Told) => {
        onStory(story);
        goOn();
      });
      child.once('exit', (code) => {
        if (asked === undefined) resolve();
        else reject(new Error(`the process of seed ${asked.seed} ended with code ${code}`));
      });
      goOn();
    });
  await Promise.all(Array.from({ length: workers }, work));
}
