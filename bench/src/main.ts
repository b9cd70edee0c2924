import { benchBilling } from './billing.ts';
import { benchCallbacks } from './callbacks.ts';
import { benchReceivers } from './receivers.ts';
import { stopAtSignals } from './leave-nothing.ts';
import { benchFairness } from './fairness/main.ts';
import { fairnessHelp, fairnessUsage } from './fairness/options.ts';
import { benchHistory } from './history/main.ts';
import { historyHelp, historyUsage } from './history/options.ts';
import { describeMachine } from './machine.ts';
import { benchMedia } from './media/main.ts';
import { benchPeers } from './peers/main.ts';
import { peersHelp, peersUsage } from './peers/options.ts';
import type { Publish } from './report.ts';
import { renewPages } from './results/pages.ts';
import { startReporting } from './results/reporting.ts';
import { benchTasks } from './tasks/main.ts';
import { tasksHelp, tasksUsage } from './tasks/options.ts';
import { benchText } from './text/main.ts';
import { textUsage } from './text/options.ts';
import { UsageError } from './usage-error.ts';

interface Bench {
  run(publish: Publish, args: readonly string[]): Promise<void>;
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

const overview = [
  'Measures the suite on this machine and prints tables.',
  '',
  ...Object.keys(benches).map(usageOf),
  '  npm run bench -- render',
  '',
  'All of them take --json, and --record[=FOLDER]: what was measured is written into bench/results,',
  'and into the pages that show it; or into that folder, and no page. `render` writes the pages anew.',
  '--node=image measures on the Node that the image brings, --node=VERSION on that one: it is',
  'installed into .cache/nodes.',
].join('\n');

const say = (line: string): void => {
  console.error(line);
};

const [name = '--help', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (name === 'render') {
  for (const page of renewPages()) console.log(`${page} is written anew`);
} else if (bench === undefined) {
  console.log(overview);
  process.exitCode = name === '--help' ? 0 : 2;
} else if (args.includes('--help')) {
  console.log([usageOf(name), ...(bench.help === undefined ? [] : ['', bench.help])].join('\n'));
} else {
  await measure(bench).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    say(`${error.message}\n${usageOf(name)}`);
    process.exitCode = 2;
  });
}

async function measure({ run }: Bench): Promise<void> {
  stopAtSignals();
  const machine = describeMachine();
  const reporting = startReporting({ bench: name, args, machine });
  const { print, rest, publish, end } = reporting;
  print(`${machine.cores} cores, Node ${machine.node}\n`);
  await run(publish, rest);
  end();
}
