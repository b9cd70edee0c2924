// npm run clean: removes what set-up has made; `npm run clean -- --help` says what it keeps.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { root } from './setup.mjs';

const help = `npm run clean: removes compiled code, generated code and the caches of the checks, so that the next start makes them anew.

Keeps node_modules, the downloaded Redis and everything in .data.
`;

const workspaces = ['packages', 'services'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
);
const made = [
  'dist',
  ...[...workspaces, 'prisma', 'bench', join('test', 'chaos')].map((folder) =>
    join(folder, 'dist'),
  ),
  join('packages', 'store', 'src', 'generated'),
  join('.cache', 'setup'),
  join('.cache', 'console-types'),
  join('.cache', 'test.tsbuildinfo'),
  join('.cache', 'scripts.tsbuildinfo'),
  join('.cache', 'reference-browser.tsbuildinfo'),
  'coverage',
];

try {
  readArguments(help, {});
  for (const path of made.filter((each) => existsSync(join(root, each)))) {
    rmSync(join(root, path), { recursive: true, force: true });
    process.stdout.write(`removed ${path}\n`);
  }
} catch (error) {
  endWith(error);
}
