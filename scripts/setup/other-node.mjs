import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { runNpm } from './dependencies.mjs';
import { SetupFailure } from './failure.mjs';

const option = '--node';
const form = /^(?:image|\d+(?:\.\d+\.\d+)?)$/;

/**
 * Takes `--node=VERSION` out of the arguments of a script: a version of Node (`24`, `24.11.1`), or
 * `image` for the one that the image brings.
 *
 * @param {readonly string[]} args
 * @returns {{ version: string | undefined, rest: readonly string[] }}
 */
export function takeNodeOption(args) {
  const isOption = (arg) => arg === option || arg.startsWith(`${option}=`);
  const [given] = args.filter(isOption);
  if (given === undefined) return { version: undefined, rest: args };
  const version = given.slice(option.length + 1);
  if (!form.test(version)) {
    throw new SetupFailure(
      `${option} takes a version, as in ${option}=24 or ${option}=24.11.1, or ${option}=image; got "${version}".`,
    );
  }
  return { version, rest: args.filter((arg) => !isOption(arg)) };
}

/**
 * The program of another version of Node: the npm registry has each for the usual machines. It is
 * installed once, into `.cache/nodes`.
 *
 * @param {string} root of the checkout
 * @param {string} version as `takeNodeOption` returns it
 */
export async function otherNode(root, version) {
  const wanted = version === 'image' ? versionOfImage(root) : version;
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(root, '.cache', 'nodes', wanted);
  const program = join('node_modules', name, 'bin', 'node');
  if (existsSync(join(home, program))) return join(home, program);

  process.stderr.write(`installing Node ${wanted} into ${home}\n`);
  const unfinished = `${home}.${process.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, 'package.json'), '{ "private": true }');
    await runNpm(unfinished, ['install', `${name}@${wanted}`]);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(dirname(home), { recursive: true });
    renameSync(unfinished, home);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return join(home, program);
}

/** `24.11.1`, of the line `ARG NODE_IMAGE=node:24.11.1-bookworm-slim`. */
function versionOfImage(root) {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, version] = /^ARG NODE_IMAGE=node:(\d+\.\d+\.\d+)/m.exec(dockerfile) ?? [];
  if (version === undefined) throw new Error('the Dockerfile names no version of Node');
  return version;
}
