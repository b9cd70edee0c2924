// npm run dev -- SERVICE: npm start with one service that follows its sources; `--help` says more.
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { ensureSetup } from './setup.mjs';

try {
  await ensureSetup({ purpose: 'start', stream: process.stdout });
  const { runLocalStack } = await import('../packages/local-stack/dist/commands.js');
  process.exit(await runLocalStack(['dev', ...process.argv.slice(2)], process.env));
} catch (error) {
  endWith(error);
}
