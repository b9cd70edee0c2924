import type { ComparedRow, Publish, Report } from '../report.ts';
import type { BenchStack } from '../stack.ts';
import type { Target, TextBench } from './bench.ts';
import { startGateway } from './gateway.ts';
import { readTextOptions, type PartName, type TextOptions } from './options.ts';
import { benchWholeResponses } from './whole-responses.ts';
import { benchShortStreams } from './short-streams.ts';
import { benchThousandStreams } from './thousand-streams.ts';
import { benchLargeRequests } from './large-requests.ts';
import { benchBodySizes } from './body-sizes.ts';
import { benchManyAccounts } from './many-accounts.ts';
import { benchOverload } from './overload.ts';
import { benchRequestParts } from './where-time-goes.ts';
import { benchTwoProcesses } from './two-processes.ts';
import { whyNotUsable } from './preflight.ts';
import {
  otherCore,
  pin,
  startGenerator,
  startServer,
  targetCore,
  type ListeningProcess,
} from './processes.ts';
import { warmUp } from './warm-up.ts';

type Measured = Pick<Report, 'comparisons' | 'tables'>;

const compared =
  (run: (bench: TextBench) => Promise<ComparedRow[]>) =>
  async (bench: TextBench): Promise<Measured> => ({ comparisons: await run(bench) });

const parts: Readonly<
  Record<PartName, { title: string; run: (bench: TextBench) => Promise<Measured> }>
> = {
  A: { title: 'A. Whole responses: 1 kB each way', run: compared(benchWholeResponses) },
  B: { title: 'B. Streams of 100 chunks', run: compared(benchShortStreams) },
  C: { title: 'C. A thousand streams at 10 chunks/s', run: compared(benchThousandStreams) },
  D: { title: 'D. A request of 20 MB beside 50 streams', run: compared(benchLargeRequests) },
  E: {
    title: 'E. One account and many, with and without a price',
    run: compared(benchManyAccounts),
  },
  F: { title: 'F. One process and two', run: compared(benchTwoProcesses) },
  G: { title: 'G. Bodies of 100 kB, 1 MB and 8 MB', run: compared(benchBodySizes) },
  H: { title: 'H. 64 callers and 1,000', run: compared(benchOverload) },
  I: {
    title: 'I. Where the CPU of a small request goes',
    run: async (bench) => ({ tables: [await benchRequestParts(bench)] }),
  },
};

/** The text path against a bare proxy and against no proxy at all, on the same fake upstream. */
export async function benchText(publish: Publish, args: readonly string[]): Promise<void> {
  const options = readTextOptions(args);
  // Progress is for people: the tables, or the JSON, are all that standard output gets.
  const say = (line: string): void => {
    console.error(line);
  };
  // What is started from here on inherits this core; the targets are moved to their own.
  const isPinned = pin(process.pid, otherCore);
  const upstream = await startServer('upstream');
  const bare = await startServer('bare-proxy', [upstream.url]);
  pin(bare.pid, targetCore);
  const generator = startGenerator();
  const stack: { current?: BenchStack } = {};
  try {
    const problems = new Set<string>();
    const { apiKey, gateway } = await gatewayOrReason({ upstream, problems, stack });
    const bench: TextBench = {
      generator,
      upstreamPid: upstream.pid,
      upstreamUrl: upstream.url,
      apiKey,
      problems,
      say,
      gateway,
      databaseUrl: stack.current?.databaseUrl,
      ...options,
      direct: { name: 'direct', url: upstream.url, pid: upstream.pid },
      bare: { name: 'bare', url: bare.url, pid: bare.pid },
    };
    for (const target of [bench.direct, bench.bare]) {
      const problem = await whyNotUsable(target, apiKey);
      if (problem !== undefined) throw new Error(`${target.name}: ${problem}`);
    }
    await measureAll(bench, { options, publish, isPinned });
  } finally {
    await Promise.all([generator.stop(), bare.stop(), upstream.stop(), stack.current?.stop()]);
  }
}

/**
 * A gateway that does not come up, or does not respond as it should, is left out and the reason
 * kept.
 */
async function gatewayOrReason({
  upstream,
  problems,
  stack,
}: {
  upstream: ListeningProcess;
  problems: Set<string>;
  stack: { current?: BenchStack };
}): Promise<{ apiKey: string; gateway?: Target | undefined }> {
  try {
    const started = await startGateway(upstream.url);
    stack.current = started.stack;
    const { apiKey } = started.stack;
    const gateway: Target = { name: 'gateway', url: started.stack.suite.baseUrl, pid: started.pid };
    const problem = await whyNotUsable(gateway, apiKey);
    if (problem === undefined) return { apiKey, gateway };
    problems.add(`the gateway is not measured: ${problem}`);
  } catch (error) {
    problems.add(`the gateway is not measured: ${String(error)}`);
  }
  return { apiKey: 'sk-gw-0000000000000000000000000000000000000000000' };
}

async function measureAll(
  bench: TextBench,
  { options, publish, isPinned }: { options: TextOptions; publish: Publish; isPinned: boolean },
): Promise<void> {
  for (const problem of bench.problems) bench.say(problem);
  await warmUp(bench);
  const cores = isPinned
    ? `Target on core ${targetCore}, upstream, load generator and everything else on core ${otherCore}`
    : 'Nothing pinned to a core';
  const counted = `${options.rounds === 1 ? 'one round' : `${options.rounds} rounds`} of ${options.seconds} s, medians; comparisons within a round, then the median.`;
  const told = new Set<string>();
  for (const name of options.parts) {
    const { title, run } = parts[name];
    const measured = await run(bench);
    // Each problem stands with the part in which it first arose.
    const problems = [...bench.problems].filter((problem) => !told.has(problem));
    for (const problem of problems) told.add(problem);
    publish({ title, ...measured, notes: [`${cores}; ${counted}`, ...problems] }, name);
  }
}
