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
  volumes: list(text),
  profiles: list(text),
  healthcheck,
});
const shape = record({
  'name!': text,
  'services!': dictionary(service),
  volumes: dictionary(oneOf(null)),
  networks: dictionary(record({ ipam: record({ config: list(record({ subnet: text })) }) })),
  'x-service': dictionary(() => []),
  'x-stores': dictionary(anyText),
  'x-public': dictionary(anyText),
  'x-vendors': dictionary(anyText),
  'x-media': dictionary(anyText),
});

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
      const mounted: string[] = volumes.map(
        (volume: string) => interpolated(volume, {}).split(':')[0]!,
      );
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
    const made = madeEnvironment();
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
      const environment = environmentOf(name, madeEnvironment('--sandbox'));
      const { names: known, read } = services[name]!;
      const vendors = known.includes('GATEWAY_CONFIG')
        ? [
            ...variablesIn(fileOf('config/gateway.yaml')),
            'ARK_API_KEY',
            'MINIMAX_API_KEY',
            'ANTHROPIC_API_KEY',
            'OPENAI_API_KEY',
          ]
        : [];

      expect(() => read(environment)).not.toThrow();
      expect(
        Object.keys(environment).filter((key) => ![...known, ...vendors].includes(key)),
      ).toEqual([]);
    },
  );

  it('gives api and video-worker what the configuration asks for', () => {
    for (const name of ['api', 'video-worker']) {
      const environment = environmentOf(name, madeEnvironment('--sandbox'));

      expect(
        variablesIn(fileOf('config/gateway.yaml')).filter(
          (variable) => (environment[variable] ?? '') === '',
        ),
      ).toEqual([]);
      expect(
        compose.services[name].volumes.map((volume: string) =>
          interpolated(volume, {}).split(':').slice(1).join(':'),
        ),
      ).toContain(`${environment['GATEWAY_CONFIG']!}:ro`);
      expect(compose.services[name].volumes).toContain(`media:${environment['STORAGE_DIR']!}`);
    }
  });

  it('names the ports on which the services listen', () => {
    const portOf = (name: string): unknown => services[name]!.defaults['PORT'];

    expect(interpolated(compose.services.balancer.ports[0], {})).toBe(
      `127.0.0.1:3000:${String(portOf('api'))}`,
    );
    expect(environmentOf('api', madeEnvironment())['BILLING_URL']).toBe(
      `http://billing:${String(portOf('billing'))}`,
    );
    expect(environmentOf('api', madeEnvironment())['SANDBOX_URL']).toBe(
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

  it('balances customers over every replica of the api that is ready', () => {
    const balancer = fileOf('docker/haproxy.cfg');
    const { PORT, OPS_PORT } = services['api']!.defaults;

    expect(balancer).toContain(`server-template api 16 api:${String(PORT)}\n`);
    expect(balancer).toContain(`default-server check port ${String(OPS_PORT)} `);
    expect(balancer).toContain('option httpchk GET /readyz\n');
    expect(environmentOf('api', madeEnvironment())['TRUSTED_PROXIES']).toBe(
      compose.networks.default.ipam.config[0].subnet,
    );
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

  it('builds the same image, from the base of the Dockerfile, for every part of the suite', () => {
    const [, base] = /^ARG NODE_IMAGE=(.+)$/m.exec(fileOf('Dockerfile'))!;

    expect([
      ...new Set(
        ours.map(
          (name) =>
            `${interpolated(compose.services[name].image, {})} ${interpolated(compose.services[name].build.args.NODE_IMAGE, {})}`,
        ),
      ),
    ]).toEqual([`generation-gateway:local ${base!}`]);
  });

  it('names a version of every image', () => {
    expect(
      names
        .map((name) => interpolated(compose.services[name].image, {}))
        .filter((image) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest')),
    ).toEqual([]);
  });
});
