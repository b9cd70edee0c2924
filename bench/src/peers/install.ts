import { execFile } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { interrupted } from '../leave-nothing.ts';

const run = promisify(execFile);
const folder = path.resolve(import.meta.dirname, '../../../.cache/peers');

/** A program that was installed, as it is started. */
export interface Installed {
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
}

const portkey = {
  version: '1.15.2',
  // With newer ones every stream ends in status 500.
  overrides: { hono: '4.9.7', '@hono/node-server': '1.13.5' },
};
const litellmVersion = '1.108.7';

/** Portkey's gateway from npm; installs it unless an earlier run did. */
export async function installPortkey(say: (line: string) => void): Promise<Installed> {
  const { version, overrides } = portkey;
  const home = path.join(folder, `portkey-${version}`);
  const dependencies = { '@portkey-ai/gateway': version };
  await once(home, async () => {
    say(`installing Portkey's gateway ${version} into ${home}`);
    const manifest = JSON.stringify({ private: true, dependencies, overrides });
    await writeFile(path.join(home, 'package.json'), manifest);
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...flags], { cwd: home, signal: interrupted });
  });
  const program = path.join(home, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  return { version, command: process.execPath, args: [program, '--headless'] };
}

/** LiteLLM's proxy from PyPI, in an environment of its own. */
export async function installLitellm(say: (line: string) => void): Promise<Installed> {
  const version = litellmVersion;
  const home = path.join(folder, `litellm-${version}`);
  await once(home, async () => {
    say(`installing LiteLLM ${version} into ${home}; this takes some minutes`);
    await run('python3', ['-m', 'venv', home], { signal: interrupted });
    const pip = path.join(home, 'bin/pip');
    await run(pip, ['install', '--quiet', `litellm[proxy]==${version}`], { signal: interrupted });
  });
  return { version, command: path.join(home, 'bin/litellm'), args: ['--num_workers', '1'] };
}

/** Runs `install` unless it has been through before; what it leaves when it fails is removed. */
async function once(home: string, install: () => Promise<void>): Promise<void> {
  const complete = path.join(home, 'complete');
  if (await exists(complete)) return;
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  try {
    await install();
    await writeFile(complete, '');
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
