// npm test: every test, with PostgreSQL and Redis beside it. Arguments go to jest:
//   npm test -- --selectProjects unit --testPathPatterns callbacks
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
