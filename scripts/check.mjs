// npm run check: what can be told without running anything; `npm run check -- --help` lists it.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { checks } from './check/checks.mjs';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { run } from './setup/run.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup, root } from './setup.mjs';

const help = `npm run check [-- CHECK ...]: all checks, or the named ones, side by side.

${checks.map(({ name, title }) => `  ${name.padEnd(11)} ${title}`).join('\n')}

Tests are run by "npm test".
`;

try {
  await runChecks(chosen(readArguments(help, { allowPositionals: true }).positionals));
} catch (error) {
  endWith(error);
}

function chosen(names) {
  const unknown = names.find((name) => !checks.some((check) => check.name === name));
  if (unknown !== undefined) throw new SetupFailure(`check: there is no "${unknown}".\n\n${help}`);
  return names.length === 0 ? checks : checks.filter(({ name }) => names.includes(name));
}

/** Every check runs to its end, so that one run tells all there is to mend. */
async function runChecks(wanted) {
  await ensureSetup({ purpose: 'checks' });
  const startedAt = performance.now();
  const waiting = [...wanted];
  const failures = [];
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      failures.push(...(await perform(check)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
  for (const message of failures) process.stderr.write(`\n${message}\n`);
  say(
    `${failures.length === 0 ? 'all is well' : `${failures.length} of ${wanted.length} failed, see above`} (${secondsSince(startedAt)})`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** What the check has to say, if it found something. */
async function perform({ name, title, program, args, remedy }) {
  const startedAt = performance.now();
  const [head, ...rest] = program;
  try {
    await run(process.execPath, [join(root, 'node_modules', head, ...rest), ...args], {
      cwd: root,
      failure: `check ${name}: ${remedy}`,
    });
    say(`${name.padEnd(11)} ${title} (${secondsSince(startedAt)})`);
    return [];
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    say(`${name.padEnd(11)} FAILED (${secondsSince(startedAt)})`);
    return [error.message];
  }
}

function secondsSince(startedAt) {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

function say(text) {
  process.stderr.write(`check: ${text}\n`);
}
