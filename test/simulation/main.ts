import { tellFault } from './actors/plan.ts';
import { keysOfProtections, weakeningOf } from './checks/protections.ts';
import { acceptHashes, presentHashes } from './hashes.ts';
import { readOptions, usage, type Read } from './options.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { simulateInProcesses, type Told } from './workers.ts';

const say = (text: string): void => {
  process.stdout.write(text);
};

type Run = Extract<Read, { kind: 'run' }>;

const hourMs = 3_600_000;
const tellEveryMs = 30_000;

async function run({ from, seeds, workers, showsTrace, isBrief, without }: Run): Promise<number> {
  const failed: number[] = [];
  const tellProgress = createProgress(seeds);
  const tell = (story: Told): void => {
    const { seed, faults, hash } = story;
    if (faults.length > 0) {
      failed.push(seed);
      say(`${progressEnd()}seed ${seed} is not as it has to be:\n`);
      for (const fault of faults) say(`  ${fault}\n`);
    }
    if (showsTrace) say(`seed ${seed}, trace ${hash}\n`);
    else tellProgress(story, failed.length);
  };
  const asks = Array.from({ length: seeds }, (_, index) => ({
    seed: from + index,
    isBrief,
    without,
  }));
  if (workers > 1 && seeds > 1) {
    await simulateInProcesses({ asks, workers: Math.min(workers, seeds) }, tell);
  } else {
    for (const { seed } of asks) {
      const story = await simulate({
        seed,
        isBrief,
        keepsTrace: showsTrace,
        ...weakeningOf(without),
      });
      for (const line of story.lines) say(`${line}\n`);
      tell(story);
    }
  }
  say('\n');
  if (failed.length === 0) return 0;
  const first = [
    ...(isBrief ? ['--brief'] : []),
    `--seed ${Math.min(...failed)}`,
    ...(without === undefined ? [] : [`--without ${without}`]),
  ].join(' ');
  say(`tell the first one's story: npm run simulate -- ${first} --trace\n`);
  say(`the fewest faults that it needs: npm run simulate -- ${first} --shrink\n`);
  return 1;
}

/** A line that changes in a terminal; elsewhere one now and then, and the last. */
function createProgress(seeds: number): (story: Told, failed: number) => void {
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

async function shrinkOne({ from: seed, showsTrace, isBrief, without }: Run): Promise<number> {
  const options = { seed, isBrief, ...weakeningOf(without), keepsTrace: showsTrace };
  const shrunk = await shrink(options, (left) => {
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

const read = readOptions(process.argv.slice(2));
if (read.kind === 'wrong') refuse(read.problem);
if (read.kind === 'help') {
  say(usage);
  process.exit(0);
}
if (read.kind === 'accept') {
  await acceptHashes();
  process.exit(0);
}
if (read.kind === 'hashes') {
  say(`${JSON.stringify(await presentHashes())}\n`);
  process.exit(0);
}
if (read.without !== undefined && !keysOfProtections.includes(read.without)) {
  refuse(`--without must be one of ${keysOfProtections.join(', ')}`);
}
// PostgreSQL in this process keeps it alive.
const code = await (read.shrinks ? shrinkOne : run)(read);
// A pipe takes some 64 kB until somebody reads it: the rest of a long story is written first.
process.stdout.write('', () => process.exit(code));
