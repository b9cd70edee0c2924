import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  anyText,
  count,
  dictionary,
  either,
  flag,
  list,
  matching,
  oneOf,
  record,
  text,
  type Shape,
} from './shape.ts';
import {
  documentsOf,
  fileOf,
  longRunning,
  madeEnvironment,
  root,
  services,
  variablesIn,
  type Manifest,
} from './suite.ts';

const source = fileOf('docker-compose.yml');
const [compose] = documentsOf(source) as [Manifest];
/** The `.env` that README.md says to make, without and with the sandbox. */
const made = madeEnvironment();
const madeWithSandbox = madeEnvironment('--sandbox');

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as compose reads them. */
function interpolated(value: unknown, environment: Readonly<Record<string, string>>): string {
  return String(value).replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_whole, name: string, kind: string | undefined, rest: string | undefined) => {
      const given = environment[name] ?? '';
      if (given === '' && kind === '?') throw new Error(`${name}: ${rest ?? ''}`);
      return given === '' && kind === '-' ? (rest ?? '') : given;
    },
  );
}

const environmentOf = (
  name: string,
  given: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name].environment ?? {}).map(([key, value]) => [
      key,
      interpolated(value, given),
    ]),
  );

const duration = matching(/^\d+(s|m)$/);
const size = matching(/^\d+(m|g)$/);
/** What compose reads when `.env` does not say otherwise. */
const given =
  (usual: Shape): Shape =>
  (value, place) =>
    usual(typeof value === 'string' ? interpolated(value, {}) : value, place);
const healthcheck = either(
  record({ 'disable!': flag }),
  record({
    'test!': list(text),
    'interval!': duration,
    'timeout!': duration,
    'retries!': count,
    start_period: duration,
  }),
);
const service = record({
  'image!': text,
  build: record({ context: text, args: dictionary(text) }),
  pull_policy: oneOf('never', 'missing'),
  env_file: list(record({ 'path!': text, 'required!': flag })),
  command: list(text),
  entrypoint: list(text),
  restart: oneOf('unless-stopped', 'on-failure', 'no'),
  init: flag,
  read_only: flag,
  tmpfs: list(text),
  cap_drop: list(oneOf('ALL')),
  security_opt: list(text),
  stop_grace_period: given(duration),
  'mem_limit!': given(size),
  shm_size: size,
  logging: record({ driver: text, options: dictionary(text) }),
  depends_on: dictionary(
    record({ 'condition!': oneOf('service_healthy', 'service_completed_successfully') }),
  ),
  environment: dictionary(either(anyText, count)),
  ports: list(text),
  volumes: list(
    either(
      text,
      record({
        'type!': oneOf('bind'),
        'source!': text,
        'target!': text,
        read_only: flag,
        bind: record({ create_host_path: flag }),
      }),
    ),
  ),
  profiles: list(text),
  healthcheck,
});
const shape = record({
  'name!': text,
  'services!': dictionary(service),
  volumes: dictionary(oneOf(null)),
  networks: dictionary(record({ ipam: record({ config: list(record({ subnet: text })) }) })),
  'x-logging': dictionary(() => []),
  'x-service': dictionary(() => []),
  'x-configuration': dictionary(() => []),
  'x-vendor-keys': list(() => []),
  ...Object.fromEntries(
    ['stores', 'observed', 'public', 'vendors', 'reach', 'ingest', 'media'].map((part) => [
      `x-${part}`,
      dictionary(anyText),
    ]),
  ),
});

/** Source, target and, where it is read-only, `ro`, of both forms in which compose takes them. */
const mountOf = (volume: Manifest): string[] =>
  typeof volume === 'string'
    ? interpolated(volume, {}).split(':')
    : [interpolated(volume.source, {}), volume.target, ...(volume.read_only ? ['ro'] : [])];

const names: string[] = Object.keys(compose.services);
const ours = [...longRunning, 'sandbox-vendor', 'migrate', 'admin'];

describe('docker-compose.yml', () => {
  it('has no field that compose does not have, and none of another type', () => {
    expect(shape(compose, 'docker-compose')).toEqual([]);
  });

  it.each<[string, (broken: Manifest) => void, string]>([
    [
      'a misspelt field of a service',
      ({ services: { api } }) => {
        api.enviroment = {};
      },
      'docker-compose.services.api.enviroment is not a field',
    ],
    [
      'a misspelt field at the top',
      (broken) => {
        broken.volume = {};
      },
      'docker-compose.volume is not a field',
    ],
    [
      'a misspelt field of a health check',
      ({ services: { redis } }) => {
        redis.healthcheck.retrys = 3;
      },
      'docker-compose.services.redis.healthcheck.retrys is not a field',
    ],
    [
      'a condition that compose does not know',
      ({ services: { api } }) => {
        api.depends_on.migrate.condition = 'service_done';
      },
      'docker-compose.services.api.depends_on.migrate.condition must be one of',
    ],
    [
      'a number where a text belongs',
      ({ services: { api } }) => {
        api.ports = [3000];
      },
      'docker-compose.services.api.ports[0] must be a text',
    ],
    [
      'a service without an image',
      ({ services: { billing } }) => {
        delete billing.image;
      },
      'docker-compose.services.billing.image is missing',
    ],
  ])('would be refused with %s', (_what, breakIt, problem) => {
    const broken = structuredClone<Manifest>(compose);
    breakIt(broken);

    expect(shape(broken, 'docker-compose').join('\n')).toContain(problem);
  });

  it('waits only for services, and mounts only volumes and files, that are there', () => {
    const missing = names.flatMap((name) => {
      const { depends_on: others = {}, volumes = [] } = compose.services[name];
      const mounted: string[] = volumes.map((volume: Manifest) => mountOf(volume)[0]!);
      return [
        ...Object.keys(others).filter((other) => !names.includes(other)),
        ...mounted.filter((from) =>
          from.startsWith('.') ? !existsSync(path.join(root, from)) : !(from in compose.volumes),
        ),
      ];
    });

    expect(missing).toEqual([]);
  });

  it('refuses to start without each of the secrets, and says what to run', () => {
    for (const secret of Object.keys(made)) {
      const without = { ...made, [secret]: '' };

      expect(() => interpolated(source, without)).toThrow(
        `${secret}: run node docker/make-env.mjs first`,
      );
    }
    expect(() => interpolated(source, made)).not.toThrow();
  });

  it.each([...longRunning, 'admin', 'sandbox-vendor'])(
    'gives %s what it cannot start without, and nothing that it does not read',
    (name) => {
      const environment = environmentOf(name, madeWithSandbox);
      const { names: known, read } = services[name]!;
      const vendors = known.includes('GATEWAY_CONFIG')
        ? variablesIn(fileOf('config/gateway.yaml'))
        : [];

      expect(() => read(environment)).not.toThrow();
      expect(
        Object.keys(environment).filter((key) => ![...known, ...vendors].includes(key)),
      ).toEqual([]);
    },
  );

  it('gives api and video-worker what the configuration asks for', () => {
    for (const name of ['api', 'video-worker']) {
      const environment = environmentOf(name, madeWithSandbox);

      expect(
        variablesIn(fileOf('config/gateway.yaml')).filter(
          (variable) => (environment[variable] ?? '') === '',
        ),
      ).toEqual([]);
      expect(compose.services[name].volumes.map(mountOf)).toContainEqual([
        './config',
        path.dirname(environment['GATEWAY_CONFIG']!),
        'ro',
      ]);
      expect(
        existsSync(path.join(root, 'config', path.basename(environment['GATEWAY_CONFIG']!))),
      ).toBe(true);
      expect(compose.services[name].volumes).toContain(`media:${environment['STORAGE_DIR']!}`);
      expect(compose.services[name].env_file).toEqual([{ path: 'vendors.env', required: false }]);
    }
  });

  it('makes no folder in the place of a configuration that is not there', () => {
    const bound = names.flatMap((name) =>
      (compose.services[name].volumes ?? []).filter(
        (volume: Manifest) => typeof volume === 'object',
      ),
    );

    expect(bound.length).toBeGreaterThan(2);
    expect(bound.filter(({ bind }: Manifest) => bind?.create_host_path !== false)).toEqual([]);
  });

  it('gives admin every setting that one of its commands reads, and waits for nothing', () => {
    const environment = environmentOf('admin', madeWithSandbox);
    const left = services['admin']!.names.filter(
      (name) => !(name in environment) && !name.endsWith('_FILE'),
    );

    expect(left).toEqual(['NODE_ENV']);
    expect(compose.services.admin.volumes).toEqual(compose.services['video-worker'].volumes);
    expect(environment['OPS_URLS']!.split(',').sort()).toEqual(
      longRunning
        .map((name) => `${name}=http://${name}:${String(services[name]!.defaults['OPS_PORT'])}`)
        .sort(),
    );
    expect(compose.services.admin.depends_on).toEqual({});
  });

  it('names the ports on which the services listen', () => {
    const portOf = (name: string): unknown => services[name]!.defaults['PORT'];

    expect(interpolated(compose.services.balancer.ports[0], {})).toBe(
      `127.0.0.1:3000:${String(portOf('api'))}`,
    );
    expect(environmentOf('api', made)['BILLING_URL']).toBe(
      `http://billing:${String(portOf('billing'))}`,
    );
    expect(environmentOf('api', made)['SANDBOX_URL']).toBe(
      `http://sandbox-vendor:${String(portOf('sandbox-vendor'))}`,
    );
    expect(
      [...fileOf('docker/prometheus.yml').matchAll(/names: \[([\w-]+)\], type: A, port: (\d+)/g)]
        .map(([, name, port]) => [name, Number(port)])
        .sort(),
    ).toEqual(longRunning.map((name) => [name, services[name]!.defaults['OPS_PORT']]).sort());
  });

  it('lets every service be scaled, and waits for the migration with all of them', () => {
    for (const name of longRunning) {
      expect(compose.services[name].depends_on.migrate).toEqual({
        condition: 'service_completed_successfully',
      });
      expect(compose.services[name].ports).toBeUndefined();
    }
    expect(source).not.toContain('container_name');
  });

  it('shuts the containers of the suite in, and gives them longer to stop than they take', () => {
    for (const name of ours) {
      expect(compose.services[name]).toMatchObject({
        read_only: true,
        init: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(
        Number.parseInt(interpolated(compose.services[name].stop_grace_period, {})),
      ).toBeGreaterThanOrEqual(30);
    }
  });

  it('lets a migration that fails end compose', () => {
    expect(compose.services.migrate.restart).toBe('no');
  });

  it('keeps the log of no container for ever', () => {
    for (const name of names) {
      expect(compose.services[name].logging).toMatchObject({
        options: { 'max-size': '10m', 'max-file': '5' },
      });
    }
  });

  it('keeps the queues: nothing is evicted, and everything is written to disk', () => {
    expect(compose.services.redis.command.join(' ')).toContain(
      '--appendonly yes --appendfsync everysec --maxmemory-policy noeviction',
    );
  });

  it('publishes nothing beyond this machine unless it is told to', () => {
    const published = names.flatMap((name) =>
      (compose.services[name].ports ?? []).map((port: string) => interpolated(port, {})),
    );

    expect(published.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('builds one image once, from the base of the Dockerfile, for every part of the suite', () => {
    const [, base] = /^ARG NODE_IMAGE=(.+)$/m.exec(fileOf('Dockerfile'))!;
    const built = ours.filter((name) => compose.services[name].build !== undefined);

    expect(new Set(ours.map((name) => interpolated(compose.services[name].image, {})))).toEqual(
      new Set(['generation-gateway:local']),
    );
    expect(built).toEqual(['migrate']);
    expect(interpolated(compose.services.migrate.build.args.NODE_IMAGE, {})).toBe(base);
    for (const name of ours) {
      expect(compose.services[name].pull_policy).toBe(built.includes(name) ? 'missing' : 'never');
    }
  });

  it('names a version of every image', () => {
    expect(
      names
        .map((name) => interpolated(compose.services[name].image, {}))
        .filter((image) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest')),
    ).toEqual([]);
  });
});
