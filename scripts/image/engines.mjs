import { spawn } from 'node:child_process';
import { SetupFailure } from '../setup/failure.mjs';
import { run } from '../setup/run.mjs';
import { root } from '../setup.mjs';

/** Runs a program and gives what it printed; exit code 127 stands for one that is not there. */
export async function outputOf(command, args, { timeoutMs = 60_000, ...options } = {}) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    ...options,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, stdout: stdout.trim(), stderr: stderr.trim() };
}

/**
 * The engine that was asked for, or the first that works here; that a client is installed does not
 * mean that its server runs.
 */
export async function chooseEngine(asked) {
  const probes = { docker: ['info'], podman: ['info'], buildah: ['--version'] };
  if (asked !== undefined && !Object.hasOwn(probes, asked)) {
    throw new SetupFailure(`--engine takes ${Object.keys(probes).join(', ')}, not "${asked}".`);
  }
  for (const name of asked === undefined ? Object.keys(probes) : [asked]) {
    if ((await outputOf(name, probes[name], { timeoutMs: 20_000 })).code === 0) return name;
  }
  throw new SetupFailure(
    asked === undefined
      ? 'Nothing here builds images: install Docker or Podman, or as root on Debian or Ubuntu `apt-get install buildah debootstrap runc`.'
      : `${asked} does not work here: \`${[asked, ...probes[asked]].join(' ')}\` fails.`,
  );
}

/** Docker or Podman: both take the same words. */
export function clientEngine(program) {
  return {
    async build({ tag, base }) {
      const code = await run(
        program,
        [
          'build',
          '--tag',
          tag,
          ...(base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${base}`]),
          '.',
        ],
        { cwd: root, show: true },
      );
      if (code !== 0) throw new SetupFailure(`${program} build failed.`);
    },
    async sizeOf(tag) {
      const { stdout } = await outputOf(program, [
        'image',
        'inspect',
        '--format',
        '{{.Size}}',
        tag,
      ]);
      return `${Math.round(Number(stdout) / 1e6)} MB`;
    },
  };
}
