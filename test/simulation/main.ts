import { readOptions, usage } from './options.ts';
import { simulate } from './simulate.ts';

const say = (text: string): void => {
  process.stdout.write(text);
};

const hourMs = 3_600_000;

async function run(from: number, seeds: number, showsTrace: boolean): Promise<number> {
  const failed: number[] = [];
  let [simulatedMs, tasks] = [0, 0];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const story = await simulate({ seed, keepsTrace: showsTrace });
    simulatedMs += story.simulatedMs;
    tasks += story.tasks;
    for (const line of story.lines) say(`${line}\n`);
    if (story.faults.length > 0) {
      failed.push(seed);
      say(`${progressEnd()}seed ${seed} is not as it has to be:\n`);
      for (const fault of story.faults) say(`  ${fault}\n`);
    }
    const done = seed - from + 1;
    if (showsTrace) say(`seed ${seed}, trace ${story.hash}\n`);
    else if (process.stdout.isTTY || done === seeds) {
      say(
        `\r${done} of ${seeds} worlds, ${tasks} videos, ${(simulatedMs / hourMs).toFixed(1)} simulated hours, ${failed.length} failed`,
      );
    }
  }
  say('\n');
  if (failed.length > 0) {
    say(`tell the first one's story: npm run simulate -- --seed ${failed[0]} --trace\n`);
  }
  return failed.length === 0 ? 0 : 1;
}

const progressEnd = (): string => (process.stdout.isTTY ? '\r' : '');

const read = readOptions(process.argv.slice(2));
if (read.kind === 'wrong') {
  process.stderr.write(`${read.problem}\nnpm run simulate -- --help says what there is.\n`);
  process.exit(2);
}
if (read.kind === 'help') say(usage);
// PostgreSQL in this process keeps it alive.
process.exit(read.kind === 'help' ? 0 : await run(read.from, read.seeds, read.showsTrace));
