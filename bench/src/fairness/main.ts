import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted, leaveNothing } from '../leave-nothing.ts';
import { residentMegabytesOf } from '../proc.ts';
import type { Figure, Publish, Report } from '../report.ts';
import { startStack, type BenchStack } from '../stack.ts';
import { attacks } from './attacks.ts';
import {
  startAttacker,
  startCustomer,
  startSwallower,
  type Attacker,
  type Customer,
} from './child-process.ts';
import { configurationFor, textModel } from './configuration.ts';
import { readFairnessOptions, type FairnessOptions } from './options.ts';
import type { AttackName, AttackResult, CustomerResult } from './protocol.ts';
import { startUpstream } from './upstream.ts';

const warmUpSeconds = 5;
/** Before what the customer sees of an attack is measured: it has to get going. */
const headStartMs = 1_000;
const megabytesAllowed = 768;
const sampleMs = 50;

interface Scene {
  readonly options: FairnessOptions;
  readonly stack: BenchStack;
  readonly customer: Customer;
  readonly attacker: Attacker;
  readonly attackerKey: string;
  say(line: string): void;
}

interface Outcome {
  readonly attack: AttackName;
  readonly quiet: CustomerResult;
  /** While the attacker does the same to a server that swallows it; NaN when not asked for. */
  readonly floorP99Ms: number;
  readonly attacked: CustomerResult;
  readonly got: AttackResult;
  readonly startMegabytes: number;
  readonly peakMegabytes: number;
  /** NaN where memory is not what the attack is about. */
  readonly restedMegabytes: number;
}

/** What a customer notices of another account's attacks, and what they leave in memory. */
export async function benchFairness(publish: Publish, args: readonly string[]): Promise<void> {
  const options = readFairnessOptions(args);
  // Standard output is for the tables, or the JSON.
  const say = (line: string): void => {
    console.error(line);
  };
  // Each attack has a suite of its own: what one leaves behind is not the next one's doing.
  for (const name of options.attacks) {
    say(`${name}: ${attacks[name].title}`);
    const outcome = await onStage(options, say, (scene) => play(scene, name));
    if (interrupted.aborted) return;
    publish(reportOf(outcome), name);
  }
}

async function onStage<Result>(
  options: FairnessOptions,
  say: (line: string) => void,
  play: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const upstream = await startUpstream(textModel);
  const stack = await startStack(() => undefined, {
    services: ['sandbox-vendor', 'billing', 'api'],
    configuration: configurationFor(upstream.url),
  });
  const customer = startCustomer();
  const attacker = startAttacker();
  const stop = leaveNothing(async () => {
    await Promise.all([customer.stop(), attacker.stop(), upstream.stop()]);
    await stack.stop();
  });
  try {
    const attackerKey = await stack.addCustomer('Attacker');
    return await play({ options, stack, customer, attacker, attackerKey, say });
  } finally {
    await stop();
  }
}

async function play(scene: Scene, attack: AttackName): Promise<Outcome> {
  const { options, stack, customer, attacker, attackerKey, say } = scene;
  const url = stack.suite.baseUrl;
  const pid = stack.suite.pidOf('api') ?? NaN;
  const watchCustomer = (seconds: number): Promise<CustomerResult> =>
    customer.run({ kind: 'customer', url, apiKey: stack.apiKey, model: textModel, seconds });
  await watchCustomer(warmUpSeconds);
  // A heap grows for a minute with the customer's own requests, whom nobody attacks.
  if (attacks[attack].memory) await watchCustomer(options.restSeconds);
  const quiet = await watchCustomer(options.seconds);
  if (quiet.failed > 0) throw new Error(`the quiet customer got ${quiet.firstFailure ?? ''}`);
  const floorP99Ms = options.floor ? await floorOf(scene, attack, watchCustomer) : NaN;
  const startMegabytes = residentMegabytesOf(pid);
  const memory = watchMemory(pid);
  attacker.start({ kind: 'attack', name: attack, url, apiKey: attackerKey, model: textModel });
  await sleep(headStartMs);
  const attacked = await watchCustomer(options.seconds);
  const got = await attacker.end();
  const peakMegabytes = memory.stop();
  say(`  p99 ${quiet.p99Ms.toFixed(1)} ms quiet, ${attacked.p99Ms.toFixed(1)} ms under attack`);
  say(`  the attacker got ${JSON.stringify(got)}`);
  let restedMegabytes = NaN;
  if (attacks[attack].memory) {
    say(`  waiting ${options.restSeconds} s for the memory`);
    // The customer goes on: an idle process would have no reason to collect anything.
    await watchCustomer(options.restSeconds);
    restedMegabytes = residentMegabytesOf(pid);
  }
  if (stack.suite.pidOf('api') !== pid) say('  THE API DIED AND WAS STARTED AGAIN');
  return {
    attack,
    quiet,
    floorP99Ms,
    attacked,
    got,
    startMegabytes,
    peakMegabytes,
    restedMegabytes,
  };
}

/** The p99 of the customer while the attacker is busy elsewhere on the machine. */
async function floorOf(
  { options, attacker, attackerKey, say }: Scene,
  name: AttackName,
  watchCustomer: (seconds: number) => Promise<CustomerResult>,
): Promise<number> {
  const swallower = await startSwallower();
  try {
    const { url } = swallower;
    attacker.start({ kind: 'attack', name, url, apiKey: attackerKey, model: textModel });
    await sleep(headStartMs);
    const { p99Ms } = await watchCustomer(options.seconds);
    await attacker.end();
    say(`  p99 ${p99Ms.toFixed(1)} ms while a server that swallows is attacked`);
    return p99Ms;
  } finally {
    await swallower.stop();
  }
}

function watchMemory(pid: number): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytesOf(pid) || 0);
  }, sampleMs);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

function measuresOf(outcome: Outcome): Figure[] {
  const { attack, quiet, floorP99Ms, attacked, startMegabytes, peakMegabytes, restedMegabytes } =
    outcome;
  const memory: Figure = {
    measure: 'resident memory after a rest, of the start',
    unit: '×',
    value: restedMegabytes / startMegabytes,
    target: { below: 1.1 },
  };
  const figures: Figure[] = [
    {
      measure: 'p99, of the quiet one',
      unit: '×',
      value: attacked.p99Ms / quiet.p99Ms,
      target: { below: 3 },
    },
    ...(Number.isNaN(floorP99Ms)
      ? []
      : [
          {
            measure: 'p99, of the one with the attacker elsewhere',
            unit: '×',
            value: attacked.p99Ms / floorP99Ms,
          },
        ]),
    { measure: 'p99', unit: 'ms', value: attacked.p99Ms, target: { below: 250 } },
    {
      measure: 'median of a request of 300 kB, of the quiet one',
      unit: '×',
      value: attacked.mediumP50Ms / quiet.mediumP50Ms,
      target: { below: 3 },
    },
    {
      measure: 'served to the customer',
      unit: '%',
      value: 100 * (1 - attacked.failed / attacked.requests),
      target: { atLeast: 99 },
    },
    {
      measure: 'highest resident memory',
      unit: 'MB',
      value: peakMegabytes,
      target: { below: megabytesAllowed },
    },
    ...(attacks[attack].memory ? [memory] : []),
  ];
  return figures.map((figure) => ({ ...figure, measure: `${attack}: ${figure.measure}` }));
}

const head = [
  'attack',
  'quiet p50 (ms)',
  'p99 (ms)',
  'attacked p50 (ms)',
  'its p99 (ms)',
  'its max (ms)',
  '300 kB quiet, p50 (ms)',
  'attacked, p50 (ms)',
  'resident at the start (MB)',
  'highest (MB)',
  'rested (MB)',
];

function reportOf(outcome: Outcome): Report {
  const { attack, quiet, attacked, got, startMegabytes, peakMegabytes, restedMegabytes } = outcome;
  const row = [
    ...[attack, quiet.p50Ms, quiet.p99Ms, attacked.p50Ms, attacked.p99Ms, attacked.maxMs],
    ...[quiet.mediumP50Ms, attacked.mediumP50Ms],
    ...[startMegabytes, peakMegabytes, restedMegabytes],
  ];
  const counts = Object.entries(got).map(([what, count]) => `${count} × ${what}`);
  const { firstFailure } = attacked;
  return {
    tables: [{ head, rows: [row] }],
    figures: measuresOf(outcome),
    notes: [
      `${attack}: the attacker got ${counts.join(', ')}.`,
      ...(firstFailure === undefined ? [] : [`${attack}: the customer first got ${firstFailure}`]),
    ],
  };
}
