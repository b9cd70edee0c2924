// npm run clean: removes what set-up has made, so that the next start makes it anew. Keeps
// node_modules, the downloaded Redis and all data.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './setup.mjs';

const workspaces = ['packages', 'services'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
);
const made = [
  ...[...workspaces, 'prisma', 'bench', join('test', 'chaos')].map((folder) =>
    join(folder, 'dist'),
  ),
  join('packages', 'store', 'src', 'generated'),
  join('.cache', 'setup'),
  join('.cache', 'test.tsbuildinfo'),
  join('.cache', 'scripts.tsbuildinfo'),
  'coverage',
];

for (const path of made.filter((each) => existsSync(join(root, each)))) {
  rmSync(join(root, path), { recursive: true, force: true });
  process.stdout.write(`removed ${path}\n`);
}
