import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { run } from '../setup/run.mjs';
import { root } from '../setup.mjs';
import { outputOf } from './engines.mjs';
import { makeLocalBase } from './local-base.mjs';

/** Outside of the checkout, in which tools would find each workspace many times over. */
export const storeFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'generation-gateway',
  'image',
);

/**
 * Builds without any service: everything lies in one folder and goes with it. Needs root, which
 * chroot and debootstrap need too.
 */
export function buildahEngine(say) {
  if (process.getuid?.() !== 0) {
    throw new SetupFailure(
      'buildah can only build as root here: run this with sudo, or use Docker or Podman.',
    );
  }
  mkdirSync(storeFolder, { recursive: true });
  // The storage driver vfs works everywhere, inside a container and on an overlay too.
  const common = [
    '--root',
    join(storeFolder, 'store'),
    '--runroot',
    join(storeFolder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const ask = async (...args) => {
    const { code, stdout, stderr } = await outputOf('buildah', [...common, ...args], {
      timeoutMs: 600_000,
    });
    if (code !== 0) {
      throw new SetupFailure(
        `buildah ${args[0]} failed: ${stderr.split('\n').slice(-5).join('\n')}`,
      );
    }
    return stdout;
  };
  const has = async (name) =>
    (await outputOf('buildah', [...common, 'inspect', '--type', 'image', name])).code === 0;
  const sizeOf = (name) => ask('images', '--format', '{{.Size}}', name);
  let base;

  return {
    async build({ tag, base: asked }) {
      base = await obtainBase(asked ?? baseOfDockerfile(), {
        ask,
        has,
        say,
        mayStandIn: asked === undefined,
      });
      // In the format of Docker, which alone knows health checks.
      const args = [
        'bud',
        '--format',
        'docker',
        '--isolation',
        'chroot',
        '--network',
        'host',
        '--pull-never',
        '--build-arg',
        `NODE_IMAGE=${base}`,
        '--tag',
        tag,
        '.',
      ];
      const code = await run('buildah', [...common, ...args], { cwd: root, show: true });
      if (code !== 0) throw new SetupFailure('buildah bud failed.');
      await ask('rmi', '--prune'); // the image that had this tag before
    },
    async sizeOf(tag) {
      return `${await sizeOf(tag)}, of which the base ${base} is ${await sizeOf(base)}`;
    },
    async archive(tag, file) {
      await ask('push', tag, `docker-archive:${file}:${tag}`);
    },
    /**
     * Unpacks the image for as long as `use` takes; gives it `{ rootFolder, config }`, config as in
     * Docker's image format.
     */
    async withRoot(tag, use) {
      const {
        Docker: { config },
      } = JSON.parse(await ask('inspect', '--type', 'image', tag));
      const container = await ask('from', '--pull-never', tag);
      try {
        return await use({ rootFolder: await ask('mount', container), config });
      } finally {
        await ask('rm', container);
      }
    },
  };
}

const baseOfDockerfile = () =>
  /^ARG NODE_IMAGE=(.+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1];

/**
 * The name under which the store has the base: pulled, or made here where no registry can be
 * reached.
 */
async function obtainBase(wanted, { ask, has, say, mayStandIn }) {
  if (await has(wanted)) return wanted;
  const full = wanted.includes('/') ? wanted : `docker.io/library/${wanted}`;
  if (await has(full)) return full;
  try {
    await ask('pull', full);
    return full;
  } catch (error) {
    if (!mayStandIn) throw error;
    const name = `localhost/node-stand-in:${process.versions.node}`;
    say(
      `${wanted} cannot be pulled here: building on a stand-in, this machine's distribution with its Node ${process.versions.node}. It shows that the image works and is not for production.`,
    );
    if (!(await has(name))) await makeLocalBase(name, { ask, say });
    return name;
  }
}
