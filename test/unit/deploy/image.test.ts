import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentsOf, fileOf, madeEnvironment, root, services, type Manifest } from './suite.ts';

const dockerfile = fileOf('Dockerfile').replaceAll('\\\n', ' ');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));
const argumentsOf = (word: string): string[] =>
  instructions
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.slice(word.length + 1).trim());
/** The compiled files that an object literal gives names to. */
const programsIn = (file: string): { name: string; folder: string; file: string }[] =>
  [...fileOf(file).matchAll(/^ {2}'?([\w-]+)'?: '(?:\.\.\/)?([a-z].+)\/dist\/(\w+)\.js',$/gm)].map(
    ([, name, folder, compiled]) => ({ name: name!, folder: folder!, file: compiled! }),
  );
const bundled = programsIn('scripts/setup/bundle.mjs');
const programs = [...bundled, ...programsIn('docker/entry.mjs')];

describe('Dockerfile', () => {
  it('copies the manifest of every workspace before it installs', () => {
    const workspaces = ['packages', 'services'].flatMap((folder) =>
      readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`),
    );
    const copied = argumentsOf('COPY')
      .filter((line) => /^(packages|services)\/[\w-]+\/package\.json /.test(line))
      .map((line) => path.dirname(line.split(' ')[0]!));

    expect(copied.sort()).toEqual(workspaces.sort());
  });

  it('copies only files that are there and that .dockerignore lets in', () => {
    const allowed = fileOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = argumentsOf('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));

    expect(sources.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(
      sources.filter((file) => !allowed.includes(file) && !allowed.includes(file.split('/')[0]!)),
    ).toEqual([]);
  });

  it('takes its base from one argument, which names a version', () => {
    const bases = argumentsOf('FROM')
      .map((line) => line.split(' ')[0]!)
      .filter((base) => base !== 'manifests');

    expect(argumentsOf('ARG')[0]).toMatch(/^NODE_IMAGE=node:\d+\.\d+\.\d+-/);
    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it('runs as a numbered user, without a package manager or a program that changes users, and tells how it is', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

    expect(/^USER (.+)$/m.exec(last)?.[1]).toBe('10001:10001');
    expect(last).toMatch(/rm -rf .*\/npm.*\/usr\/bin\/apt\* \/usr\/bin\/dpkg\*/);
    expect(last).toMatch(/find \/ .*-perm \/6000 -exec chmod a-s/);
    expect(last).not.toMatch(/npm (ci|install)/);
    expect(argumentsOf('HEALTHCHECK')).toEqual([
      expect.stringContaining('CMD ["node", "docker/healthcheck.mjs"]'),
    ]);
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["node", "docker/entry.mjs"]']);
  });

  it('installs and compiles what its programs need, and no development dependency', () => {
    const production = argumentsOf('RUN').filter(
      (line) => line.startsWith('npm ci') && line.includes('--omit=dev') && line.includes('$PARTS'),
    );
    const parts = /^PARTS="(.+)"$/.exec(argumentsOf('ARG')[1]!)![1]!.split(' ');
    const compile = argumentsOf('RUN').find((line) => line.includes('tsc -b'))!;

    expect(production).toHaveLength(1);
    expect([...parts, 'prisma'].sort()).toEqual(programs.map(({ folder }) => folder).sort());
    expect(programs.filter(({ folder }) => !compile.split(/\s+/).includes(folder))).toEqual([]);
  });
});

describe('the entry of the image', () => {
  it('knows every program of the suite, by a file that is compiled', () => {
    expect(programs.map(({ name }) => name).sort()).toEqual(
      [...Object.keys(services), 'migrate'].sort(),
    );
    expect(
      programs.filter(
        ({ folder, file }) =>
          !existsSync(path.join(root, folder, folder === 'prisma' ? '' : 'src', `${file}.ts`)),
      ),
    ).toEqual([]);
  });

  it('starts the bundle of each but the migration', () => {
    const started = [...fileOf('docker/entry.mjs').matchAll(/'\.\.\/dist\/([\w-]+)\.js',$/gm)];

    expect(started.map(([, name]) => name).sort()).toEqual(bundled.map(({ name }) => name).sort());
    expect(argumentsOf('RUN')).toContain('node scripts/setup/bundle.mjs');
  });

  it.each([
    [[], 'None was named'],
    [['apii'], '"apii" is none of them'],
    [['toString'], '"toString" is none of them'],
  ])('refuses %j and says what there is', (given, reason) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.join(root, 'docker/entry.mjs'), ...given],
      { encoding: 'utf8' },
    );

    expect(status).toBe(2);
    expect(stderr).toContain(reason);
    expect(stderr).toContain('api, video-worker, callback-dispatcher, billing');
  });

  it('is asked by compose and Kubernetes for programs that it knows', () => {
    const [compose] = documentsOf(fileOf('docker-compose.yml')) as [Manifest];
    const commands: string[] = Object.values<Manifest>(compose.services)
      .filter(({ image }) => image.includes('generation-gateway'))
      .map(({ command, entrypoint }) => command?.[0] ?? entrypoint[2]);
    const manifests = readdirSync(path.join(root, 'k8s'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((file) => file.endsWith('.yaml'));
    const kubernetes = manifests.flatMap((file) =>
      [
        ...fileOf(`k8s/${file}`).matchAll(
          /image: generation-gateway(?:\n|.*\n)\s+args: \[([\w-]+)/g,
        ),
      ].map(([, command]) => command!),
    );

    expect(
      [...commands, ...kubernetes].filter(
        (command) => !programs.some(({ name }) => name === command),
      ),
    ).toEqual([]);
    expect(kubernetes.length).toBeGreaterThan(8);
  });
});

describe('the health check of the image', () => {
  it('knows where every service has /readyz', () => {
    const [, known] = /const ports = \{([^}]+)\};/.exec(fileOf('docker/healthcheck.mjs'))!;
    const ports = [...known!.matchAll(/'?([\w-]+)'?: \['(\w+)', (\d+)\],/g)].map(
      ([, name, setting, port]) => [name, setting, port],
    );
    const wanted = Object.entries(services)
      .filter(([name]) => name !== 'admin')
      .map(([name, { defaults }]) => {
        const setting = 'OPS_PORT' in defaults ? 'OPS_PORT' : 'PORT';
        return [name, setting, String(defaults[setting])];
      });

    expect(ports.sort()).toEqual(wanted.sort());
  });
});

describe('docker/make-env.mjs', () => {
  it('makes secrets that differ each time', () => {
    const [one, other] = [madeEnvironment(), madeEnvironment()];

    expect(Object.keys(one).length).toBeGreaterThan(4);
    expect(Object.keys(one).filter((name) => one[name] === other[name])).toEqual([]);
  });

  it('reports an option that it does not know with those there are, and writes nothing', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'make-env-'));
    try {
      const { status, stderr } = spawnSync(
        process.execPath,
        [path.join(root, 'docker/make-env.mjs'), '--sandbax'],
        { cwd: folder, encoding: 'utf8' },
      );

      expect([status, stderr, readdirSync(folder)]).toEqual([
        2,
        expect.stringMatching(/'--sandbax'[^]*--sandbox[^]*--file NAME/),
        [],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps what is in the file, and lets nobody else read it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'make-env-'));
    const file = path.join(folder, '.env');
    const make = (): string =>
      execFileSync(process.execPath, [path.join(root, 'docker/make-env.mjs')], {
        cwd: folder,
        encoding: 'utf8',
      });
    try {
      expect(make()).toContain('added POSTGRES_PASSWORD');
      expect(statSync(file).mode & 0o077).toBe(0);
      const before = readFileSync(file, 'utf8');
      expect(make()).toBe('.env has everything.\n');
      expect(readFileSync(file, 'utf8')).toBe(before);
      writeFileSync(file, 'REDIS_PASSWORD=mine');
      make();
      expect(readFileSync(file, 'utf8')).toMatch(/^REDIS_PASSWORD=mine\nPOSTGRES_PASSWORD=/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
