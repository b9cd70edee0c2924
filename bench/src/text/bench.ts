import type {
  ClosedJob,
  ClosedResult,
  Dialect,
  HeldJob,
  HeldResult,
  Result,
  Route,
} from './protocol.ts';
import { quietCores } from '../machine.ts';
import type { Generator } from './processes.ts';

export type TargetName = 'direct' | 'bare' | 'gateway';

export interface Target {
  readonly name: TargetName;
  readonly url: string;
  readonly pid: number;
}

export interface TextBench {
  readonly generator: Generator;
  readonly upstreamPid: number;
  readonly upstreamUrl: string;
  readonly apiKey: string;
  readonly direct: Target;
  readonly bare: Target;
  /** Undefined when it did not come up. */
  readonly gateway: Target | undefined;
  readonly seconds: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly accounts: number;
  /** Undefined when the gateway did not come up. */
  readonly databaseUrl: string | undefined;
  /** What went wrong, each sentence once. */
  readonly problems: Set<string>;
  say(line: string): void;
}

export const passThrough: Readonly<Record<Dialect, Route>> = {
  messages: { client: 'messages', upstream: 'messages' },
  chat: { client: 'chat', upstream: 'chat' },
  responses: { client: 'responses', upstream: 'responses' },
};

/**
 * Named by the upstream's dialect, so that both halves of a comparison get the same bytes from the
 * upstream; the last one by its client's.
 */
export const translated: Readonly<Record<Dialect, Route>> = {
  messages: { client: 'chat', upstream: 'messages' },
  chat: { client: 'messages', upstream: 'chat' },
  responses: { client: 'responses', upstream: 'chat' },
};

export const nameOf = ({ client, upstream }: Route): string =>
  client === upstream ? `${client}, passed through` : `${client} client, ${upstream} upstream`;

type Rest<T> = Omit<T, 'kind' | 'url' | 'apiKey' | 'pids' | 'route'>;

export async function runClosedOn(
  bench: TextBench,
  { target, route }: { target: Target; route: Route },
  job: Rest<ClosedJob>,
): Promise<ClosedResult> {
  return noted(
    bench,
    target,
    await bench.generator.run({ ...job, ...baseOf(bench, target), route, kind: 'closed' }),
  );
}

/** Responses of 1 kB of this target, with so many callers; undefined without one. */
export const wholeRunOf = (
  bench: TextBench,
  target: Target | undefined,
  job: Pick<ClosedJob, 'callers' | 'warmUpSeconds'>,
): (() => Promise<ClosedResult>) | undefined =>
  target &&
  (() =>
    runClosedOn(
      bench,
      { target, route: passThrough.messages },
      { script: 'whole', seconds: bench.seconds, ...job },
    ));

export async function runHeldOn(
  bench: TextBench,
  { target, route }: { target: Target; route: Route },
  job: Rest<HeldJob>,
): Promise<HeldResult> {
  return noted(
    bench,
    target,
    await bench.generator.run({ ...job, ...baseOf(bench, target), route, kind: 'held' }),
  );
}

const baseOf = ({ apiKey, upstreamPid }: TextBench, { url, pid }: Target) => ({
  url,
  apiKey,
  pids: { target: pid, upstream: upstreamPid },
});

function noted<T extends Result>({ problems }: TextBench, { name }: Target, result: T): T {
  if (result.failed > 0) {
    problems.add(`${name}: ${result.failed} failed: ${result.firstError ?? ''}`);
  }
  return result;
}

type Round<T> = Partial<Record<TargetName, T>>;

/** Says so, and marks the whole report, when other programs used more than that. */
export function noteNoise(
  { problems, say }: Pick<TextBench, 'problems' | 'say'>,
  othersShare: number,
): void {
  if (!(othersShare > quietCores)) return;
  say(`  other programs used up to ${Math.round(othersShare * 100)} % of a core meanwhile`);
  problems.add(
    `other programs used more than ${quietCores * 100} % of a core during some of the runs that count: measure again on a quiet machine`,
  );
}

/**
 * Runs each target in turn, so many times over; gives the results of each, round by round. A round
 * in which another program kept the machine busy is repeated, up to as many times as there are
 * rounds; then the quietest ones count.
 */
export async function inRounds<T extends Result>(
  bench: Pick<TextBench, 'rounds' | 'problems' | 'say'>,
  runs: Readonly<Partial<Record<TargetName, (() => Promise<T>) | undefined>>>,
): Promise<Partial<Record<TargetName, T[]>>> {
  const { rounds: wanted } = bench;
  const rounds: Round<T>[] = [];
  while (
    rounds.length < 2 * wanted &&
    rounds.filter((round) => noiseOf(round) <= quietCores).length < wanted
  ) {
    const round: Round<T> = {};
    for (const [name, run] of Object.entries(runs) as [
      TargetName,
      (() => Promise<T>) | undefined,
    ][]) {
      if (run !== undefined) round[name] = await run();
    }
    rounds.push(round);
  }
  const kept = rounds.sort((a, b) => noiseOf(a) - noiseOf(b)).slice(0, wanted);
  noteNoise(bench, Math.max(...kept.map(noiseOf)));
  const names = Object.keys(kept[0] ?? {}) as TargetName[];
  return Object.fromEntries(
    names.map((name) => [name, kept.flatMap((round) => round[name] ?? [])]),
  );
}

/** The gateway's own databases are no strangers, and cannot be told from them. */
const noiseOf = <T extends Result>({ direct, bare }: Round<T>): number =>
  Math.max(...[direct, bare].map((result) => result?.busy.others ?? 0));
