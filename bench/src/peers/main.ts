import { residentMegabytesOf } from '../proc.ts';
import type { Publish, Report } from '../report.ts';
import { passThrough } from '../text/bench.ts';
import { cpuPerResponse, perSecond } from '../text/figures.ts';
import {
  otherCore,
  pin,
  startGenerator,
  startServer,
  targetCore,
  type Generator,
} from '../text/processes.ts';
import type { ClosedJob, ClosedResult } from '../text/protocol.ts';
import { readPeersOptions, type PeerName } from './options.ts';
import { startPeer, type Peer } from './peers.ts';

type Load = Pick<ClosedJob, 'script' | 'callers'> & Partial<Pick<ClosedJob, 'bodyBytes'>>;

interface Column {
  readonly title: string;
  readonly load: Load;
  readonly read: (result: ClosedResult) => number;
}

const sixtyFour = { script: 'whole', callers: 64 } as const;
const columns: readonly Column[] = [
  {
    title: 'one caller, p50 (ms)',
    load: { script: 'whole', callers: 1 },
    read: ({ medianMs }) => medianMs,
  },
  { title: '64 callers (1/s)', load: sixtyFour, read: perSecond },
  { title: 'CPU a request (µs)', load: sixtyFour, read: cpuPerResponse },
  { title: '1,000 callers (1/s)', load: { script: 'whole', callers: 1_000 }, read: perSecond },
  {
    title: '16 kB, CPU (µs)',
    load: { script: 'whole', callers: 16, bodyBytes: 16_000 },
    read: cpuPerResponse,
  },
  {
    title: '1 MB, CPU (µs)',
    load: { script: 'whole', callers: 4, bodyBytes: 1_000_000 },
    read: cpuPerResponse,
  },
  { title: '100 chunks, CPU (µs)', load: { script: '100', callers: 32 }, read: cpuPerResponse },
];

/** What a thousand callers leave behind would be the next one's wait. */
const inOrder = [...columns].sort((one, other) => one.load.callers - other.load.callers);

interface Row {
  readonly peer: string;
  readonly figures: readonly number[];
  readonly residentMegabytes: number;
}

/** This gateway beside others that are free to run, each alone on one core. */
export async function benchPeers(publish: Publish, args: readonly string[]): Promise<void> {
  const { peers, seconds } = readPeersOptions(args);
  const say = (line: string): void => {
    console.error(line);
  };
  const isPinned = pin(process.pid, otherCore);
  const upstream = await startServer('upstream');
  const generator = startGenerator();
  const measuring = { generator, upstreamPid: upstream.pid, seconds, say };
  const cores = isPinned
    ? `Each gateway on core ${targetCore}, upstream, load and everything else on core ${otherCore}`
    : 'Nothing pinned to a core';
  try {
    for (const name of peers) {
      const problems: string[] = [];
      const row = await measurePeer(name, upstream.url, { ...measuring, problems });
      const notes = [`${cores}; runs of ${seconds} s.`, ...problems];
      publish({ ...(row !== undefined && tablesOf(row)), notes }, name);
    }
  } finally {
    await Promise.all([generator.stop(), upstream.stop()]);
  }
}

interface Measuring {
  readonly generator: Generator;
  readonly upstreamPid: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
  readonly problems: string[];
}

/** Undefined, and a line among the problems, where it does not run. */
async function measurePeer(
  name: PeerName,
  upstreamUrl: string,
  measuring: Measuring,
): Promise<Row | undefined> {
  const { say, problems } = measuring;
  let peer: Peer;
  try {
    peer = await startPeer[name]({ upstreamUrl, say });
  } catch (error) {
    problems.push(`${name} is not measured: ${firstLine(error)}`);
    return undefined;
  }
  try {
    return await measure(peer, measuring);
  } finally {
    await peer.stop();
  }
}

const firstLine = (error: unknown): string => String(error).split('\n', 1)[0] ?? '';

async function measure(
  { title, url, pid, apiKey, apiKeys = [], headers }: Peer,
  { generator, upstreamPid, seconds, say, problems }: Measuring,
): Promise<Row> {
  const results = new Map<Load, ClosedResult>();
  const run = async (load: Load, forSeconds: number): Promise<ClosedResult> => {
    const pids = { target: pid, upstream: upstreamPid };
    const job = { ...load, url, apiKey, headers, pids, route: passThrough.chat, warmUpSeconds: 2 };
    const keys = isReadAtPace(load) && apiKeys.length > 0 ? { apiKeys } : {};
    return generator.run({ ...job, ...keys, kind: 'closed', seconds: forSeconds });
  };
  say(`${title}: warming up`);
  for (const script of ['whole', '100'] as const) await run({ script, callers: 16 }, 3);
  for (const { title: column, load } of inOrder) {
    if (results.has(load)) continue;
    say(`${title}: ${column}`);
    const result = await run(load, seconds);
    results.set(load, result);
    if (result.failed > 0) {
      problems.push(`${title}, ${column}: ${result.failed} failed: ${result.firstError ?? ''}`);
    }
  }
  const figures = columns.map(({ load, read }) => cellOf(results.get(load), read));
  return { peer: title, figures, residentMegabytes: residentMegabytesOf(pid) };
}

/** This gateway reads such bodies of one account no faster than it allows, however idle it is. */
const isReadAtPace = ({ bodyBytes = 0 }: Load): boolean => bodyBytes > 131_072;

/** Nothing is said of a run in which nothing was completed. */
const cellOf = (result: ClosedResult | undefined, read: Column['read']): number =>
  result === undefined || result.completed === 0 ? NaN : read(result);

const tablesOf = ({ peer, figures, residentMegabytes }: Row): Pick<Report, 'tables'> => ({
  tables: [
    {
      head: ['one core', ...columns.map(({ title }) => title), 'resident (MB)'],
      rows: [[peer, ...figures, residentMegabytes]],
    },
  ],
});
