import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { outputOf } from './engines.mjs';

/**
 * Runs containers of an unpacked image as compose and Kubernetes do: its own user, a read-only
 * root, an empty /tmp, no capability, no new privileges, a process space of its own. Only the
 * network is that of this machine.
 */
export async function openContainers({ rootFolder, config }) {
  const runtime = await findRuntime();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-containers-'));
  const running = new Set();
  const [uid, gid] = config.User.split(':').map(Number);

  function start(name, args, { env = {}, mounts = {} } = {}) {
    const bundle = join(folder, name);
    mkdirSync(bundle);
    const environment = [
      ...config.Env,
      ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
    ];
    writeFileSync(
      join(bundle, 'config.json'),
      JSON.stringify(
        specificationOf({
          rootFolder,
          uid,
          gid,
          args,
          environment,
          mounts,
          cwd: config.WorkingDir,
        }),
      ),
    );
    const id = `gateway-image-${process.pid}-${name}`;
    const command = (...words) => ['--root', join(folder, 'state'), ...words];
    const child = spawn(runtime, command('run', '--bundle', bundle, id), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (chunk) => {
        output[stream] += chunk;
      });
    }
    const ended = new Promise((resolve) => {
      child.once('error', () => resolve({ code: 127, ...output }));
      child.once('close', (code) => resolve({ code: code ?? 1, ...output }));
    });
    const container = {
      name,
      output,
      ended,
      /** Runs one more program inside, as a health check does. */
      execute: (...words) =>
        outputOf(runtime, command('exec', id, ...words), { timeoutMs: 10_000 }),
      kill: (signal) => outputOf(runtime, command('kill', id, signal)),
    };
    running.add(container);
    void ended.then(() => running.delete(container));
    return container;
  }

  return {
    start,
    run: (name, args, options) => start(name, args, options).ended,
    async close() {
      await Promise.all(
        [...running].map(async (container) => {
          await container.kill('KILL');
          await container.ended;
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** runc, or crun where there is no runc: crun refuses machines that mix two versions of cgroups. */
async function findRuntime() {
  for (const name of ['runc', 'crun']) {
    if ((await outputOf(name, ['--version'])).code === 0) return name;
  }
  throw new SetupFailure('--try needs runc: `apt-get install runc`.');
}

function specificationOf({ rootFolder, uid, gid, args, environment, mounts, cwd }) {
  const bound = Object.entries(mounts).map(([destination, { from, readonly = false }]) => ({
    destination,
    type: 'bind',
    source: from,
    options: ['bind', readonly ? 'ro' : 'rw'],
  }));
  return {
    ociVersion: '1.0.0',
    process: {
      user: { uid, gid },
      args,
      env: environment,
      cwd,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: rootFolder, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      {
        destination: '/tmp',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'mode=1777'],
      },
      ...bound,
    ],
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })) },
  };
}
