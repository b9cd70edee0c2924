// Every package in package-lock.json has the hash of its content, or npm would install whatever a
// registry hands out. unverified-packages.json names the few whose content no registry at hand
// carries: optional builds for other platforms. It may only shrink, and npm needs none of them here.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { findLockProblems } from './lock-problems.mjs';

const read = (path) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8'));

const problems = findLockProblems(
  read('../../package-lock.json').packages,
  read('./unverified-packages.json'),
);
process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
process.exitCode = problems.length === 0 ? 0 : 1;
