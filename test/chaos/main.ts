import { readOptions, usage } from './options.ts';
import { kindsHelp, reportOf } from './report.ts';
import { runChaos } from './run.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const read = readOptions(process.argv.slice(2), Date.now() % 1_000_000);
if (read.kind === 'wrong') {
  process.stderr.write(`${read.problem}\nnpm run chaos -- --help says what there is.\n`);
  process.exitCode = 2;
} else if (read.kind === 'help') {
  say(`${usage}\n${kindsHelp().join('\n')}`);
} else {
  const result = await runChaos({ ...read.options, print: say });
  say('');
  for (const line of reportOf(result)) say(line);
  process.exitCode = result.violations.length === 0 ? 0 : 1;
}
