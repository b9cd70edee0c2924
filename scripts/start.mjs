// npm start: everything a newcomer needs, on this machine; see `npm start -- --help`.
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { ensureSetup } from './setup.mjs';

try {
  await ensureSetup({ stream: process.stdout });
  const { runLocalStack } = await import('../packages/local-stack/dist/commands.js');
  process.exit(await runLocalStack(['start', ...process.argv.slice(2)], process.env));
} catch (error) {
  endWith(error);
}
