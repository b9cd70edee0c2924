// npm run simulate: the gateway in simulated worlds; see docs/testing.md. Arguments are passed on.
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { run } from './setup/run.mjs';
import { ensureSetup, root } from './setup.mjs';

try {
  await ensureSetup();
  const sources = join(root, 'test', 'runner', 'register.js');
  process.exit(
    await run(
      process.execPath,
      ['--import', sources, join(root, 'test', 'simulation', 'main.ts'), ...process.argv.slice(2)],
      { cwd: root, show: true },
    ),
  );
} catch (error) {
  endWith(error);
}
