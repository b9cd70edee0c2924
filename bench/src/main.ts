import { availableParallelism } from 'node:os';
import { benchBilling } from './billing.ts';
import { benchCallbacks } from './callbacks.ts';
import { benchReceivers } from './receivers.ts';
import { stopAtSignals } from './leave-nothing.ts';
import { benchFairness } from './fairness/main.ts';
import { fairnessHelp, fairnessUsage } from './fairness/options.ts';
import { benchHistory } from './history/main.ts';
import { historyHelp, historyUsage } from './history/options.ts';
import { benchMedia } from './media/main.ts';
import { benchPeers } from './peers/main.ts';
import { peersHelp, peersUsage } from './peers/options.ts';
import { benchTasks } from './tasks/main.ts';
import { tasksHelp, tasksUsage } from './tasks/options.ts';
import { benchText } from './text/main.ts';
import { textUsage } from './text/options.ts';
import { UsageError } from './usage-error.ts';

interface Bench {
  run(print: (line: string) => void, args: readonly string[]): Promise<void>;
  readonly usage: string;
  readonly help?: string;
}

const benches: Readonly<Record<string, Bench>> = {
  tasks: { run: benchTasks, usage: tasksUsage, help: tasksHelp },
  billing: { run: benchBilling, usage: '' },
  callbacks: { run: benchCallbacks, usage: '' },
  receivers: { run: benchReceivers, usage: '' },
  media: { run: benchMedia, usage: '' },
  text: { run: benchText, usage: textUsage },
  peers: { run: benchPeers, usage: peersUsage, help: peersHelp },
  history: { run: benchHistory, usage: historyUsage, help: historyHelp },
  fairness: { run: benchFairness, usage: fairnessUsage, help: fairnessHelp },
};

const usageOf = (name: string): string =>
  `  npm run bench -- ${name} ${benches[name]?.usage ?? ''}`.trimEnd();

const [name = '--help', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  console.log(
    [
      'Measures the suite on this machine and prints tables.',
      '',
      ...Object.keys(benches).map(usageOf),
    ].join('\n'),
  );
  process.exitCode = name === '--help' ? 0 : 2;
} else if (args.includes('--help')) {
  console.log([usageOf(name), ...(bench.help === undefined ? [] : ['', bench.help])].join('\n'));
} else {
  stopAtSignals();
  // Standard output of --json is for programs.
  (args.includes('--json') ? console.error : console.log)(
    `${availableParallelism()} cores, Node ${process.version}\n`,
  );
  await bench
    .run((line) => {
      console.log(line);
    }, args)
    .catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      console.error(`${error.message}\n${usageOf(name)}`);
      process.exitCode = 2;
    });
}
