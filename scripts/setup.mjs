// Makes a fresh clone runnable, and does nothing where everything is up to date. Needs Node alone:
// no dependency is installed yet when this runs. `npm run build` is this script by itself.
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundleStep, compileStep, consoleStep, prismaClientStep } from './setup/build.mjs';
import { dependenciesStep, postgresLinksStep } from './setup/dependencies.mjs';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { withLock } from './setup/lock.mjs';
import { readArguments } from './setup/usage.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {[major: number, minor: number]} */
const oldestNode = [20, 19];

const installed = (development) => [
  dependenciesStep(root, { development }),
  postgresLinksStep(root),
];

/** What there is to do, by what it is for. */
const stepsFor = {
  everything: () => [
    ...stepsFor.checks(),
    compileStep(root, 'everything'),
    bundleStep(root),
    consoleStep(root),
  ],
  /** Each check compiles for itself. */
  checks: () => [...installed(true), prismaClientStep(root)],
  /** All services, their command line and the console. */
  start: () => [
    ...installed(false),
    prismaClientStep(root),
    compileStep(root, 'start'),
    bundleStep(root),
    consoleStep(root),
  ],
  /** What starts them. */
  'local-stack': () => [...installed(false), compileStep(root, 'local-stack')],
};

/** @typedef {keyof typeof stepsFor} Purpose */

/** @param {Purpose} purpose */
export function isSetUp(purpose) {
  return stepsFor[purpose]().every((step) => step.isDone());
}

/**
 * Dependencies, generated code, compiled code, as far as `purpose` needs them; one line a step,
 * with its seconds, on `stream`, and nothing when nothing has to be done (`announce: true`: one
 * line then too).
 *
 * @param {{ purpose?: Purpose, stream?: { write(text: string): unknown }, announce?: boolean }} options
 */
export async function ensureSetup({
  purpose = 'everything',
  stream = process.stderr,
  announce = false,
} = {}) {
  checkNode(process.versions.node);
  const startedAt = performance.now();
  const steps = stepsFor[purpose]();
  if (steps.every((step) => step.isDone())) {
    if (announce) stream.write(`Set-up is up to date (${secondsSince(startedAt)}).\n`);
    return;
  }
  const onWait = () =>
    stream.write('Waiting for another start in this checkout to finish its set-up.\n');
  await withLock(join(root, '.cache', 'setup', 'lock'), onWait, async () => {
    for (const step of steps) await perform(step, stream);
  });
}

async function perform(step, stream) {
  if (step.isDone()) return;
  const startedAt = performance.now();
  stream.write(`Set-up: ${step.title} ... `);
  try {
    const remark = await step.run();
    stream.write(`${secondsSince(startedAt)}${remark === undefined ? '' : ` (${remark})`}\n`);
  } catch (error) {
    stream.write('failed\n');
    throw error;
  }
}

function secondsSince(startedAt) {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new SetupFailure(
    `Node.js ${oldestNode.join('.')} or later is needed and this is ${version}: install the current LTS version.`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const help = `npm run build: installs what package-lock.json names, generates the database client and compiles, as far as that is not done yet.

  --start   only what npm start needs
`;
  try {
    const { values } = readArguments(help, { options: { start: { type: 'boolean' } } });
    const purpose = values.start === true ? 'start' : 'everything';
    await ensureSetup({ purpose, stream: process.stdout, announce: true });
  } catch (error) {
    endWith(error);
  }
}
