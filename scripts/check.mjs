// npm run check: types, lint, unit and integration tests; ends at the first failure. With --static:
// types and lint alone.
import { join } from 'node:path';
import process from 'node:process';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { run } from './setup/run.mjs';
import { ensureSetup, root } from './setup.mjs';

try {
  await ensureSetup({ announce: true, tests: true });
  say('types are right; checking the form');
  await run(
    process.execPath,
    [join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs'), '--check', '.'],
    { cwd: root, failure: 'check: "npm run format" puts these files into their form' },
  );
  say('the form is right; linting');
  await run(
    process.execPath,
    [join(root, 'node_modules', 'eslint', 'bin', 'eslint.js'), '.', '--max-warnings', '0'],
    { cwd: root, show: true, failure: 'check: lint failed' },
  );
  if (process.argv.includes('--static')) {
    say('types and lint are clean');
    process.exit(0);
  }
  say('lint is clean; unit and integration tests');
  const { runLocalStack } = await import('../packages/local-stack/dist/commands.js');
  const exitCode = await runLocalStack(
    ['test', '--selectProjects', 'unit', 'integration'],
    process.env,
  );
  if (exitCode !== 0) throw new SetupFailure('check: tests failed');
  say('all is well');
  process.exit(0);
} catch (error) {
  endWith(error);
}

function say(text) {
  process.stderr.write(`check: ${text}\n`);
}
