// npm run bench: the measurements of bench/, with the arguments passed on.
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { otherNode, takeNodeOption } from './setup/other-node.mjs';
import { run } from './setup/run.mjs';
import { ensureSetup, root } from './setup.mjs';

try {
  const { version, rest } = takeNodeOption(process.argv.slice(2));
  await ensureSetup();
  const node = version === undefined ? process.execPath : await otherNode(root, version);
  const bench = join(root, 'bench', 'dist', 'main.js');
  process.exit(await run(node, [bench, ...rest], { cwd: root, show: true }));
} catch (error) {
  endWith(error);
}
