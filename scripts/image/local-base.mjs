import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { run } from '../setup/run.mjs';
import { outputOf } from './engines.mjs';

/**
 * Commits an image like node:…-slim: this machine's distribution from its own mirror, with its
 * Node, its npm and the authorities it trusts.
 */
export async function makeLocalBase(name, { ask, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-base-'));
  try {
    const { site, release } = await mirror();
    say(`Creating ${name}: debootstrap of ${release}.`);
    const failure =
      'debootstrap failed. It needs root, the package debootstrap, and a mirror that can be reached.';
    await run(
      'debootstrap',
      ['--variant=minbase', '--include=ca-certificates', release, folder, site],
      { failure },
    );
    addNode(folder);
    const container = await ask('from', 'scratch');
    await ask('add', '--quiet', container, folder, '/');
    await ask(
      'config',
      '--env',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      container,
    );
    await ask('commit', '--quiet', container, name);
    await ask('rm', container);
  } catch (error) {
    throw /** @type {NodeJS.ErrnoException} */ (error)?.code === 'ENOENT'
      ? new SetupFailure(
          'debootstrap is not installed: `apt-get install debootstrap`, or name a base that the store has with --base.',
          { cause: error },
        )
      : error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where apt of this machine takes its distribution from. */
async function mirror() {
  const { stdout: release } = await outputOf('sh', [
    '-c',
    '. /etc/os-release && echo "$VERSION_CODENAME"',
  ]);
  const { stdout } = await outputOf('apt-get', [
    'indextargets',
    '--format',
    '$(SITE) $(RELEASE) $(COMPONENT)',
    'Created-By: Packages',
  ]);
  const line = stdout
    .split('\n')
    .map((each) => each.split(' '))
    .find(([, ...rest]) => rest.join(' ') === `${release} main`);
  if (line === undefined) {
    throw new SetupFailure(
      'apt on this machine has no mirror for its distribution: name a base that can be pulled with --base.',
    );
  }
  return { site: line[0] ?? '', release };
}

function addNode(folder) {
  const local = join(folder, 'usr', 'local');
  cpSync(process.execPath, join(local, 'bin', 'node'));
  const npm = npmFolder();
  cpSync(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const program of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(local, 'bin', program));
  }
  const authorities = process.env.NODE_EXTRA_CA_CERTS || '/etc/ssl/certs/ca-certificates.crt';
  if (!existsSync(authorities)) return;
  cpSync(authorities, join(folder, 'etc/ssl/certs/ca-certificates.crt'));
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc', 'npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n');
}

/** The npm that runs this script, else the one beside this Node. */
function npmFolder() {
  const places = [
    process.env.npm_execpath,
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ];
  for (const place of places) {
    if (place === undefined || !existsSync(place)) continue;
    const folder = dirname(dirname(realpathSync(place)));
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'npm') {
      return folder;
    }
  }
  throw new SetupFailure('There is no npm beside this Node: start this with npm run image.');
}
