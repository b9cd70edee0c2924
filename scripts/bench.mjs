// npm run bench: the measurements of bench/, with the arguments passed on.
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
      [join(root, 'bench', 'dist', 'main.js'), ...process.argv.slice(2)],
      { cwd: root, show: true },
    ),
  );
} catch (error) {
  endWith(error);
}
