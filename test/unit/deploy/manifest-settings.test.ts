import { describe, expect, it } from '@jest/globals';
import { readConfiguration, jobs } from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  completedEnvironment,
  fileOf,
  longRunning,
  madeEnvironment,
  manifestsOf,
  root,
  services,
  variablesIn,
  type Manifest,
} from './suite.ts';

const secrets = madeEnvironment('--kubernetes');

const dev = manifestsOf('overlays/dev', 'hpa', 'keda');
const production = manifestsOf('overlays/production', 'monitoring');
const deploymentOf = (objects: readonly Manifest[], name: string): Manifest =>
  objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
const containerOf = (objects: readonly Manifest[], name: string): Manifest =>
  deploymentOf(objects, name).spec.template.spec.containers[0];
/**
 * By the name that the manifests give it, with or without the hash that Kustomize puts behind it.
 */
const configMapOf = (objects: readonly Manifest[], name: string): Record<string, string> =>
  objects.find(
    ({ kind, metadata }) =>
      kind === 'ConfigMap' &&
      (metadata.name as string).replace(/-[a-z0-9]{10}$/, '') ===
        name.replace(/-[a-z0-9]{10}$/, ''),
  ).data;

/**
 * What the container's environment will be; secrets as docker/make-env.mjs makes them, keys of
 * vendors made up.
 */
function environmentOf(objects: readonly Manifest[], name: string): Record<string, string> {
  const { env, envFrom = [] } = containerOf(objects, name);
  return Object.fromEntries([
    ...envFrom.flatMap(({ configMapRef }: Manifest) =>
      configMapRef === undefined ? [] : Object.entries(configMapOf(objects, configMapRef.name)),
    ),
    ...env.map((entry: Manifest) => [
      entry.name,
      entry.value ?? secrets[entry.valueFrom.secretKeyRef.key] ?? '',
    ]),
  ]);
}

const places: readonly (readonly [string, string, Manifest[]])[] = [
  ...longRunning,
  'sandbox-vendor',
].flatMap((name) => [
  [name, 'dev', dev] as const,
  ...(name === 'sandbox-vendor' ? [] : [[name, 'production', production] as const]),
]);

describe.each(places)('the environment of %s in %s', (name, _overlay, objects) => {
  const environment = environmentOf(objects, name);
  const { names, required, read } = services[name]!;

  it('holds only what the service reads, or its gateway.yaml asks for', () => {
    const asked = names.includes('GATEWAY_CONFIG')
      ? variablesIn(configMapOf(objects, 'gateway-configuration')['gateway.yaml']!)
      : [];

    expect(Object.keys(environment).filter((key) => ![...names, ...asked].includes(key))).toEqual(
      [],
    );
  });

  it('has everything that the service cannot start without', () => {
    expect(required.filter((key) => (environment[key] ?? '') === '')).toEqual([]);
    expect(() => read(environment)).not.toThrow();
  });
});

describe.each([
  ['dev', dev],
  ['production', production],
] as const)('gateway.yaml of %s', (_overlay, objects) => {
  const text = configMapOf(objects, 'gateway-configuration')['gateway.yaml']!;

  it('is a configuration that the services take', () => {
    const environment = Object.fromEntries(
      variablesIn(text).map((name) => [name, name.endsWith('_URL') ? 'http://vendor:1' : 'given']),
    );

    expect(
      readConfiguration(text, { environment, readFile: () => undefined }, videoVendors),
    ).toMatchObject({
      ok: true,
    });
  });

  it('is where api and video-worker look for it, with the variables that it asks for', () => {
    for (const name of ['api', 'video-worker']) {
      const { volumeMounts, envFrom } = containerOf(objects, name);
      const given = environmentOf(objects, name);
      const hasVendorSecret = envFrom.some(
        ({ secretRef }: Manifest) => secretRef?.name === 'gateway-vendors',
      );

      expect(volumeMounts.map(({ mountPath }: Manifest) => `${mountPath}/gateway.yaml`)).toContain(
        given['GATEWAY_CONFIG'],
      );
      expect(
        variablesIn(text)
          .filter((variable) => !(variable in given))
          .filter((variable) => !hasVendorSecret || !variable.endsWith('_API_KEY')),
      ).toEqual([]);
    }
  });
});

describe('settings that belong together', () => {
  it('have the same media storage in api and video-worker, on a volume that both have in dev', () => {
    const claims = ['api', 'video-worker'].map((name) => {
      const folder = environmentOf(dev, name)['STORAGE_DIR'];
      const mount = containerOf(dev, name).volumeMounts.find(
        ({ mountPath }: Manifest) => mountPath === folder,
      );
      return deploymentOf(dev, name).spec.template.spec.volumes.find(
        (volume: Manifest) => volume.name === mount?.name,
      )?.persistentVolumeClaim.claimName;
    });

    expect(claims).toEqual(['media', 'media']);
    expect(environmentOf(production, 'api')).toMatchObject({ MEDIA_STORAGE: 's3' });
  });

  it('send the api to the port of billing', () => {
    expect(environmentOf(dev, 'api')['BILLING_URL']).toBe(
      `http://billing:${String(services['billing']!.defaults['PORT'])}`,
    );
  });

  it('give every secret that a pod or KEDA names', () => {
    const named = [
      ...JSON.stringify([dev, production]).matchAll(/\{"key":"(\w+)","name":"gateway-secrets"\}/g),
    ].map(([, key]) => key!);

    expect(named.length).toBeGreaterThan(10);
    // Only where somebody wants them.
    const optional = ['ADMIN_TOKEN', 'REDIS_USERNAME', 'REDIS_TLS', 'REDIS_CA'];
    expect(
      [...new Set(named)].filter((key) => !(key in secrets) && !optional.includes(key)),
    ).toEqual([]);
  });

  it('come from the addresses of one’s own stores where the file has them', () => {
    const made = completedEnvironment(
      'DATABASE_URL=postgres://owner:p%40ss@db.internal:6432/gw?sslmode=verify-full\nREDIS_URL=rediss+sentinel://user:a%26b@one:1,two:2/primary\n',
      '--kubernetes',
    );

    expect(made['BILLING_DATABASE_URL']).toBe(
      `postgres://gateway_billing:${made['GATEWAY_BILLING_PASSWORD']!}@db.internal:6432/gw?sslmode=verify-full`,
    );
    expect(made['REDIS_PASSWORD']).toBe('a&b');
  });

  it('show the sandbox vendor in dev as the local run does', () => {
    expect(configMapOf(dev, 'gateway-configuration')['gateway.yaml']).toBe(
      fileOf('config/gateway.yaml'),
    );
  });
});

/** The value of sums, products and quotients of figures, as KEDA's formulas have them. */
function calculated(formula: string): number {
  const inner = formula.replaceAll(/\(([^()]*)\)/g, (_whole, part: string) =>
    String(calculated(part)),
  );
  return inner.split(' + ').reduce((sum, term) => sum + product(term), 0);
}

function product(term: string): number {
  const [first, ...rest] = term.split(/ (?=[*/] )/);
  return rest.reduce(
    (value, step) =>
      step.startsWith('*') ? value * Number(step.slice(2)) : value / Number(step.slice(2)),
    Number(first),
  );
}

describe('KEDA', () => {
  const scaled = dev.filter(({ kind }) => kind === 'ScaledObject');
  const queuesOf: Readonly<Record<string, readonly (keyof typeof jobs)[]>> = {
    'video-worker': ['video.advance'],
    'callback-dispatcher': ['callback.push'],
    billing: ['billing.settle', 'metering.apply'],
  };

  it('scales each worker by the waiting, prioritized and active jobs of its queues', () => {
    const prefix = configMapOf(dev, 'gateway-common')['QUEUE_PREFIX'];
    const lists = Object.fromEntries(
      scaled.map(({ metadata, spec }) => [
        metadata.name,
        spec.triggers.flatMap((trigger: Manifest) => trigger.metadata.listName ?? []),
      ]),
    );

    expect(lists).toEqual(
      Object.fromEntries(
        Object.entries(queuesOf).map(([worker, names]) => [
          worker,
          names.flatMap((name) =>
            ['wait', 'prioritized', 'active'].map(
              (state) => `${prefix!}:${jobs[name].queue}:${state}`,
            ),
          ),
        ]),
      ),
    );
    expect(Object.values(queuesOf).flat().sort()).toEqual(Object.keys(jobs).sort());
  });

  it('counts each trigger once in its formula', () => {
    for (const { spec } of scaled) {
      const inFormula = spec.advanced.scalingModifiers.formula
        .replace('max(', '(')
        .match(/[a-z_]+/g);

      expect(inFormula).toEqual(spec.triggers.map(({ name }: Manifest) => name));
    }
  });

  it('goes on by the queues when Prometheus fails, and keeps the replicas when Redis does', () => {
    for (const { spec } of scaled) {
      const without = [...spec.advanced.scalingModifiers.formula.matchAll(/([a-z_]+) \?\? 0\.0/g)];

      expect(spec.fallback.behavior).toBe('scalingModifiers');
      expect(without.map(([, name]) => name)).toEqual(
        spec.triggers
          .filter(({ type }: Manifest) => type !== 'redis')
          .map(({ name }: Manifest) => name),
      );
    }
  });

  it('adds a replica when those that run are full', () => {
    const target = (name: string): number =>
      Number(
        scaled.find(({ metadata }) => metadata.name === name).spec.advanced.scalingModifiers.target,
      );
    const { formula } = scaled.find(({ metadata }) => metadata.name === 'billing').spec.advanced
      .scalingModifiers;

    expect(target('video-worker')).toBe(jobs['video.advance'].concurrency);
    expect(target('callback-dispatcher')).toBe(
      services['callback-dispatcher']!.defaults['CALLBACK_CONCURRENCY'],
    );
    expect(
      formula
        .match(/\d+/g)
        .map(Number)
        .filter((figure: number) => figure > 0),
    ).toEqual([jobs['billing.settle'].concurrency, jobs['metering.apply'].concurrency, 30]);
  });

  it('adds a replica for each half minute that due work waits, whatever the queues say', () => {
    const replicas = (name: string, values: Readonly<Record<string, number>>): number => {
      const { formula, target } = scaled.find(({ metadata }) => metadata.name === name).spec
        .advanced.scalingModifiers;
      const known = formula
        .replace('max', '')
        .replace(' ?? 0.0', '')
        .replaceAll(/[a-z_]+/g, (value: string) => String(values[value] ?? 0));
      const [, one, other] = /^\((.*), (.*)\)$/.exec(known)!;
      return Math.ceil(Math.max(calculated(one!), calculated(other!)) / Number(target));
    };

    for (const worker of Object.keys(queuesOf)) {
      expect(replicas(worker, { late: 300 })).toBe(10);
      expect(replicas(worker, {})).toBe(0);
    }
    expect(replicas('video-worker', { wait: 640, late: 30 })).toBe(10);
    const queries = scaled.map(({ metadata, spec }) => [
      metadata.name,
      ...spec.triggers
        .filter(({ type }: Manifest) => type === 'prometheus')
        .map((trigger: Manifest) => trigger.metadata.query),
    ]);
    expect(queries.sort()).toEqual([
      ['billing', 'max(gateway_oldest_due_seconds{namespace="gateway",work=~"settlement|usage"})'],
      ['callback-dispatcher', 'max(gateway_oldest_due_seconds{namespace="gateway",work="push"})'],
      ['video-worker', 'max(gateway_oldest_due_seconds{namespace="gateway",work="video"})'],
    ]);
  });

  it('never takes the last replica, which moves what is delayed', () => {
    expect(scaled.filter(({ spec }) => spec.minReplicaCount < 1)).toEqual([]);
  });
});

describe('alarms', () => {
  it('watch metrics that the services have', () => {
    const sources = ['packages', 'services']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.includes('generated'))
          .map((file) => fileOf(`${folder}/${file}`)),
      )
      .join('\n');
    const expressions = production
      .filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap(({ spec }) =>
        spec.groups.flatMap(({ rules }: Manifest) => rules.map(({ expr }: Manifest) => expr)),
      );
    const watched = [...expressions.join('\n').matchAll(/gateway_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    );

    expect(watched.length).toBeGreaterThan(3);
    expect(watched.filter((name) => !sources.includes(`name: '${name}'`))).toEqual([]);
  });
});
