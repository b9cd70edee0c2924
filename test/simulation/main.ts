import type { Database } from '@gateway/store';
import { tellFault } from './actors/plan.ts';
import { protections, without } from './checks/protections.ts';
import { readOptions, usage, type Read } from './options.ts';
import { shrink } from './shrink.ts';
import { simulate, type Story } from './simulate.ts';

const say = (text: string): void => {
  process.stdout.write(text);
};

type Run = Extract<Read, { kind: 'run' }>;
type Weaken = (database: Database) => Database;

const hourMs = 3_600_000;
const tellEveryMs = 30_000;

async function run({ from, seeds, showsTrace }: Run, weaken: Weaken): Promise<number> {
  const failed: number[] = [];
  const tellProgress = createProgress(seeds);
  for (let seed = from; seed < from + seeds; seed += 1) {
    const story = await simulate({ seed, keepsTrace: showsTrace, weaken });
    for (const line of story.lines) say(`${line}\n`);
    if (story.faults.length > 0) {
      failed.push(seed);
      say(`${progressEnd()}seed ${seed} is not as it has to be:\n`);
      for (const fault of story.faults) say(`  ${fault}\n`);
    }
    if (showsTrace) say(`seed ${seed}, trace ${story.hash}\n`);
    else tellProgress(story, failed.length);
  }
  say('\n');
  if (failed.length === 0) return 0;
  say(`tell the first one's story: npm run simulate -- --seed ${failed[0]} --trace\n`);
  say(`the fewest faults that it needs: npm run simulate -- --seed ${failed[0]} --shrink\n`);
  return 1;
}

/** A line that changes in a terminal; elsewhere one now and then, and the last. */
function createProgress(seeds: number): (story: Story, failed: number) => void {
  let [done, simulatedMs, tasks, toldAt] = [0, 0, 0, performance.now()];
  return (story, failed) => {
    done += 1;
    simulatedMs += story.simulatedMs;
    tasks += story.tasks;
    const line = `${done} of ${seeds} worlds, ${tasks} videos, ${(simulatedMs / hourMs).toFixed(1)} simulated hours, ${failed} failed`;
    if (process.stdout.isTTY || done === seeds) say(`${progressEnd()}${line}`);
    else if (performance.now() > toldAt + tellEveryMs) {
      toldAt = performance.now();
      say(`${line}\n`);
    }
  };
}

async function shrinkOne({ from: seed, showsTrace }: Run, weaken: Weaken): Promise<number> {
  const shrunk = await shrink({ seed, weaken, keepsTrace: showsTrace }, (left) => {
    if (left >= 0) say(`${left} faults are enough\n`);
  });
  if (shrunk === undefined) {
    say(`seed ${seed} does not fail\n`);
    return 0;
  }
  const { faults, story, worlds } = shrunk;
  for (const line of story.lines) say(`${line}\n`);
  say(`seed ${seed} fails with these alone (${worlds} worlds):\n`);
  for (const fault of faults) say(`  ${tellFault(fault)}\n`);
  say('and then:\n');
  for (const fault of story.faults) say(`  ${fault}\n`);
  return 1;
}

const progressEnd = (): string => (process.stdout.isTTY ? '\r' : '');

function refuse(problem: string): never {
  process.stderr.write(`${problem}\nnpm run simulate -- --help says what there is.\n`);
  process.exit(2);
}

function weakening({ without: key }: Run): Weaken {
  if (key === undefined) return (database) => database;
  const protection = protections.find((one) => one.key === key);
  if (protection !== undefined) return without(protection);
  return refuse(`--without must be one of ${protections.map((one) => one.key).join(', ')}`);
}

const read = readOptions(process.argv.slice(2));
if (read.kind === 'wrong') refuse(read.problem);
if (read.kind === 'help') {
  say(usage);
  process.exit(0);
}
// PostgreSQL in this process keeps it alive.
const code = await (read.shrinks ? shrinkOne : run)(read, weakening(read));
// A pipe takes some 64 kB until somebody reads it: the rest of a long story is written first.
process.stdout.write('', () => process.exit(code));
