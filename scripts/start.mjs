// npm start: everything a newcomer needs, on this machine; see `npm start -- --help`.
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { ensureSetup, isSetUp, root } from './setup.mjs';

try {
  await ensureSetup({ purpose: 'local-stack', stream: process.stdout });
  // A process of its own, which neither Ctrl-C nor its failure mixes up with what it is beside.
  /** @type {[string, ...string[]]} */
  const build = [process.execPath, join(root, 'scripts', 'setup.mjs'), '--start'];
  const options = isSetUp('start') ? {} : { build };
  const { runLocalStack } = await import('../packages/local-stack/dist/commands.js');
  process.exit(await runLocalStack(['start', ...process.argv.slice(2)], process.env, options));
} catch (error) {
  endWith(error);
}
