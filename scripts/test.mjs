// npm test, npm run test:watch and npm run test:long, with PostgreSQL and Redis beside the tests
// that need them; `npm test -- --help` says more.
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { ensureSetup } from './setup.mjs';

try {
  await ensureSetup();
  const { runLocalStack } = await import('../packages/local-stack/dist/commands.js');
  process.exit(await runLocalStack(['test', ...process.argv.slice(2)], process.env));
} catch (error) {
  endWith(error);
}
