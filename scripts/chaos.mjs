// npm run chaos: everything that can go wrong, under load; see docs/testing.md. Arguments are
// passed on.
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { run } from './setup/run.mjs';
import { ensureSetup, root } from './setup.mjs';

try {
  await ensureSetup();
  process.exit(
    await run(
      process.execPath,
      [join(root, 'test', 'chaos', 'dist', 'main.js'), ...process.argv.slice(2)],
      { cwd: root, show: true },
    ),
  );
} catch (error) {
  endWith(error);
}
