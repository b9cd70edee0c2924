import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { clockedProcesses, type ClockedProcess } from './plan.ts';
import { checkout, startStack, type Stack, type StackOptions } from './stack.ts';
import { openWires, type Wires } from './wires.ts';

/** A stack whose peers can fall silent, and whose clocks can be set. */
export interface ChaosStack extends Stack {
  readonly wires: Wires;
  /** Sets the clock of one process this much ahead of the machine's; 0 sets it right. */
  readonly setClock: (process: ClockedProcess, aheadMs: number) => Promise<void>;
}

export async function startChaosStack(options: StackOptions): Promise<ChaosStack> {
  let wires: Wires | undefined;
  // Known once the suite has chosen its ports, which is before it starts anything.
  let urlOf: (service: string) => string = () => '';
  const clockFile = (dataDir: string, process: string): string =>
    path.join(dataDir, `clock-of-${process}`);
  const started = await startStack({
    ...options,
    async wire({ postgresUrl, redisUrl, dataDir }) {
      const opened = await openWires({
        postgres: postgresUrl,
        redis: redisUrl,
        billing: () => urlOf('billing'),
        vendor: () => urlOf('sandbox-vendor'),
      });
      wires = opened;
      return {
        databaseUrl: (url) => opened.over('postgres', url),
        redisUrl: opened.over('redis', redisUrl),
        envOf(service, whereOthersAre) {
          urlOf = whereOthersAre;
          return {
            ...opened.settingsOf(service),
            ...((clockedProcesses as readonly string[]).includes(service) && {
              NODE_OPTIONS: `--import ${path.join(checkout, 'test/chaos/shifted-clock.js')}`,
              CHAOS_CLOCK_FILE: clockFile(dataDir, service),
            }),
          };
        },
        close: () => opened.close(),
      };
    },
  });
  const { dataDir } = started;
  return {
    ...started,
    wires: wires!,
    setClock: (process, aheadMs) => writeFile(clockFile(dataDir, process), String(aheadMs)),
  };
}
