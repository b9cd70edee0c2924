import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { kubernetesShapes } from './kubernetes-shapes.ts';
import {
  documentsOf,
  fileOf,
  longRunning,
  manifestText,
  root,
  services,
  type Manifest,
} from './suite.ts';

const additions = ['gateway-api', 'monitoring', 'private-ca'];
const install = (
  name: string,
  ...folders: readonly [string, ...string[]]
): readonly [string, Manifest[], string] => {
  const text = manifestText(...folders);
  return [name, documentsOf(text), text];
};
const installs = [
  install('overlays/dev', 'overlays/dev'),
  install('overlays/production', 'overlays/production'),
  install('overlays/production with every component', 'overlays/production', ...additions),
  install('overlays/dev with the autoscalers', 'overlays/dev', 'hpa', 'keda'),
];

const ofKind = (objects: readonly Manifest[], ...kinds: string[]): Manifest[] =>
  objects.filter(({ kind }) => kinds.includes(kind));
const workloadsOf = (objects: readonly Manifest[]): Manifest[] =>
  ofKind(objects, 'Deployment', 'StatefulSet', 'Job');
const podOf = (workload: Manifest): Manifest => workload.spec.template.spec;
const containersOf = (workload: Manifest): Manifest[] => [
  ...(podOf(workload).initContainers ?? []),
  ...podOf(workload).containers,
];
const deployments = (objects: readonly Manifest[]): Manifest[] =>
  longRunning.map((name) =>
    ofKind(objects, 'Deployment').find(({ metadata }) => metadata.name === name),
  );
const containerOf = (deployment: Manifest): Manifest => podOf(deployment).containers[0];

/**
 * Labels that a selector asks for, as "key=value" alternatives; every selector of ours is of one of
 * these forms.
 */
const selects = (selector: Manifest, labels: Record<string, string>): boolean =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every(({ key, values }: Manifest) =>
    values.includes(labels[key]),
  );
const selectedBy = (objects: readonly Manifest[], selector: Manifest): Manifest[] =>
  workloadsOf(objects).filter((workload) =>
    selects(selector, workload.spec.template.metadata.labels),
  );
const portNamesOf = (workload: Manifest): string[] =>
  containersOf(workload).flatMap(({ ports = [] }) => ports.map(({ name }: Manifest) => name));
const portNumbersOf = (workload: Manifest): number[] =>
  containersOf(workload).flatMap(({ ports = [] }) =>
    ports.map(({ containerPort }: Manifest) => containerPort),
  );

describe.each(installs)('Kubernetes objects of %s', (_name, objects) => {
  it('have no field that their kind does not have, and none of another type', () => {
    const problems = objects.flatMap((object) => {
      const shape = kubernetesShapes[`${object.apiVersion} ${object.kind}`];
      return shape === undefined
        ? [`${object.apiVersion} ${object.kind} is not known`]
        : shape(object, `${object.kind}/${object.metadata?.name}`);
    });

    expect(objects.length).toBeGreaterThan(25);
    expect(problems).toEqual([]);
  });

  it('select the pods of their own template', () => {
    const wrong = ofKind(objects, 'Deployment', 'StatefulSet').filter(
      ({ spec }) => !selects(spec.selector, spec.template.metadata.labels),
    );

    expect(wrong).toEqual([]);
  });

  it('send the traffic of each Service to a port that its pods have', () => {
    const lost = ofKind(objects, 'Service')
      .filter(({ spec }) => spec.type !== 'ExternalName')
      .filter(({ spec }) => {
        const pods = selectedBy(objects, { matchLabels: spec.selector });
        return (
          pods.length !== 1 ||
          !spec.ports.every(({ targetPort }: Manifest) => portNamesOf(pods[0]).includes(targetPort))
        );
      });

    expect(lost.map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it('name only ConfigMaps, volumes, claims, accounts and scale targets that are there', () => {
    /** Made outside, as the secrets are. */
    const isOutside = (kind: string, name: string): boolean =>
      kind === 'ConfigMap' && name === 'gateway-ca';
    const has = (kind: string, name: string): boolean =>
      isOutside(kind, name) || ofKind(objects, kind).some(({ metadata }) => metadata.name === name);
    const missing = workloadsOf(objects).flatMap((workload) => {
      const { serviceAccountName, volumes = [] } = podOf(workload);
      const claims = (workload.spec.volumeClaimTemplates ?? []).map(
        ({ metadata }: Manifest) => metadata.name,
      );
      const volumeNames = [...volumes.map(({ name }: Manifest) => name), ...claims];
      return [
        ...(serviceAccountName === undefined || has('ServiceAccount', serviceAccountName)
          ? []
          : [serviceAccountName]),
        ...volumes.filter(
          ({ configMap }: Manifest) => configMap !== undefined && !has('ConfigMap', configMap.name),
        ),
        ...volumes.filter(
          ({ persistentVolumeClaim: used }: Manifest) =>
            used !== undefined && !has('PersistentVolumeClaim', used.claimName),
        ),
        ...containersOf(workload).flatMap(({ envFrom = [], volumeMounts = [] }) => [
          ...envFrom.filter(
            ({ configMapRef }: Manifest) =>
              configMapRef !== undefined && !has('ConfigMap', configMapRef.name),
          ),
          ...volumeMounts.filter(({ name }: Manifest) => !volumeNames.includes(name)),
        ]),
      ];
    });
    const scaled = ofKind(objects, 'HorizontalPodAutoscaler', 'ScaledObject').map(
      ({ spec }) => spec.scaleTargetRef.name,
    );
    const authentications = ofKind(objects, 'ScaledObject').flatMap(({ spec }) =>
      spec.triggers.flatMap(({ authenticationRef }: Manifest) => authenticationRef?.name ?? []),
    );

    expect(missing).toEqual([]);
    expect(scaled.filter((name) => !has('Deployment', name))).toEqual([]);
    expect(authentications.filter((name) => !has('TriggerAuthentication', name))).toEqual([]);
  });

  it('take secrets from gateway-secrets and gateway-vendors alone, and hold none', () => {
    const references = workloadsOf(objects).flatMap((workload) =>
      containersOf(workload).flatMap(({ env = [], envFrom = [] }) => [
        ...env.flatMap(({ valueFrom }: Manifest) =>
          valueFrom === undefined ? [] : [valueFrom.secretKeyRef.name],
        ),
        ...envFrom.flatMap(({ secretRef }: Manifest) =>
          secretRef === undefined ? [] : [secretRef.name],
        ),
      ]),
    );
    const written = workloadsOf(objects).flatMap((workload) =>
      containersOf(workload).flatMap(({ env = [] }) =>
        env.filter(
          ({ name, value }: Manifest) =>
            value !== undefined && /TOKEN|SECRET|PASSWORD|_KEY|DATABASE_URL|REDIS_URL/.test(name),
        ),
      ),
    );

    expect(new Set(references)).toEqual(new Set(['gateway-secrets', 'gateway-vendors']));
    expect(written).toEqual([]);
    expect(ofKind(objects, 'Secret')).toEqual([]);
  });

  it('run without root, without privileges and without a token of the cluster', () => {
    const weak = workloadsOf(objects).filter((workload) => {
      const { securityContext, automountServiceAccountToken, enableServiceLinks } = podOf(workload);
      const isRestricted = containersOf(workload).every(
        ({ securityContext: own }) =>
          own.allowPrivilegeEscalation === false &&
          own.readOnlyRootFilesystem &&
          own.capabilities.drop.includes('ALL'),
      );
      return !(
        isRestricted &&
        securityContext.runAsNonRoot &&
        securityContext.runAsUser > 0 &&
        securityContext.seccompProfile.type === 'RuntimeDefault' &&
        automountServiceAccountToken === false &&
        enableServiceLinks === false
      );
    });

    expect(weak.map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it('name a version of every image, and give every container resources', () => {
    const containers = workloadsOf(objects).flatMap(containersOf);

    expect(
      containers
        .filter(({ image }) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest'))
        .map(({ image }) => image),
    ).toEqual([]);
    expect(
      containers
        .filter(
          ({ resources }) =>
            resources.requests?.cpu === undefined ||
            resources.requests?.memory === undefined ||
            resources.limits?.memory === undefined,
        )
        .map(({ name }) => name),
    ).toEqual([]);
  });

  it('probe each service on its operations port, to which no Service leads', () => {
    const portsOf = (name: string): Manifest[] =>
      Object.entries({ http: 'PORT', ops: 'OPS_PORT' }).flatMap(([portName, setting]) => {
        const containerPort = services[name]!.defaults[setting];
        return containerPort === undefined ? [] : [{ name: portName, containerPort }];
      });
    const probes = deployments(objects).map((deployment) => {
      const { name, ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
      return {
        name,
        ports,
        paths: [startupProbe, livenessProbe, readinessProbe].map(
          ({ httpGet }: Manifest) => `${httpGet.port} ${httpGet.path}`,
        ),
      };
    });

    expect(probes).toEqual(
      longRunning.map((name) => ({
        name,
        ports: portsOf(name),
        paths: ['ops /livez', 'ops /livez', 'ops /readyz'],
      })),
    );
    expect(
      ofKind(objects, 'Service')
        .flatMap(({ spec }) => spec.ports ?? [])
        .filter(({ targetPort }: Manifest) => targetPort === 'ops'),
    ).toEqual([]);
    for (const { startupProbe } of deployments(objects).map(containerOf)) {
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(60);
    }
  });

  it('give each service the time that it may take to stop', () => {
    const secondsOf = (constant: string): number =>
      Number(
        new RegExp(`const ${constant} = ([\\d_]+);`)
          .exec(fileOf('packages/runtime/src/lifecycle/lifecycle.ts'))![1]!
          .replaceAll('_', ''),
      ) / 1_000;
    const drainOf = (deployment: Manifest): number => {
      const set = containerOf(deployment).env.find(({ name }: Manifest) => name === 'DRAIN_MS');
      return set === undefined ? secondsOf('usualDrainMs') : Number(set.value) / 1_000;
    };
    const spare = deployments(objects).map(
      (deployment) =>
        podOf(deployment).terminationGracePeriodSeconds -
        (containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0) -
        drainOf(deployment) -
        secondsOf('afterDrainMs'),
    );

    expect(spare.filter((seconds) => seconds < 5)).toEqual([]);
    // A text response that was begun ends.
    expect(drainOf(deployments(objects)[0])).toBeGreaterThanOrEqual(600);
  });

  it('name the migration by the release, so that the next one is another Job', () => {
    const [job] = ofKind(objects, 'Job');
    const [, tag] = job.spec.template.spec.containers[0].image.split(':') as [string, string];
    expect(job.metadata.name).toBe(`migrate-${tag}`);
  });

  it('start no service before its schema is there, in whatever order they are applied', () => {
    expect(
      deployments(objects).map((deployment) => {
        const { initContainers = [], containers } = podOf(deployment);
        return initContainers.map(({ args, image }: Manifest) => ({
          args,
          isOfTheSameRelease: image === containers[0].image,
        }));
      }),
    ).toEqual(
      longRunning.map(() => [{ args: ['migrate', '--check', '--wait'], isOfTheSameRelease: true }]),
    );
  });

  it('mount gateway.yaml under one name, since a changed one is read while the services run', () => {
    expect(
      ofKind(objects, 'ConfigMap').filter(({ metadata }) =>
        metadata.name.startsWith('gateway-configuration'),
      ),
    ).toMatchObject([{ metadata: { name: 'gateway-configuration' } }]);
  });

  it('let whoever is called hear of a stop before it stops listening', () => {
    const called = ofKind(objects, 'Service')
      .flatMap(({ spec, metadata }) => (spec.type === 'ExternalName' ? [] : [metadata.name]))
      .filter((name: string) =>
        ['api', 'billing', 'video-worker', 'callback-dispatcher'].includes(name),
      );
    const waits = deployments(objects)
      .filter((deployment) => called.includes(deployment.metadata.name))
      .map((deployment) => containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0);

    expect(called).toEqual(['api', 'billing']);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
  });

  it('keep all but one replica of each service while a node is drained, and spread them', () => {
    const budgets = ofKind(objects, 'PodDisruptionBudget')
      .filter(({ spec }) => spec.maxUnavailable === 1)
      .flatMap(({ spec }) =>
        selectedBy(objects, spec.selector).map(({ metadata }) => metadata.name),
      );
    const spread = deployments(objects).filter((deployment) =>
      podOf(deployment).topologySpreadConstraints.every(({ labelSelector }: Manifest) =>
        selects(labelSelector, deployment.spec.template.metadata.labels),
      ),
    );

    expect(budgets.sort()).toEqual([...longRunning].sort());
    expect(spread).toHaveLength(4);
  });

  it('leave the number of replicas to whoever scales them', () => {
    expect(deployments(objects).filter(({ spec }) => spec.replicas !== undefined)).toEqual([]);
  });
});

describe.each(installs)('network policies of %s', (_name, objects) => {
  const policies = ofKind(objects, 'NetworkPolicy');

  it('deny everything that no other policy opens', () => {
    const [denial] = policies.filter(({ metadata }) => metadata.name === 'default-deny');

    expect(denial.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  it('select pods that are there, and ports that these have', () => {
    const wrong = policies
      .filter(({ spec }) => spec.ingress !== undefined)
      .flatMap(({ metadata, spec }) => {
        const pods = selectedBy(objects, spec.podSelector);
        const ports = spec.ingress.flatMap(({ ports: opened }: Manifest) =>
          opened.map(({ port }: Manifest) => port),
        );
        return pods.length > 0 &&
          pods.every((pod) =>
            ports.every((port: string | number) =>
              [...portNamesOf(pod), ...portNumbersOf(pod)].includes(port),
            ),
          )
          ? []
          : [metadata.name];
      });
    const astray = policies.flatMap(({ metadata, spec }) =>
      (spec.egress ?? []).flatMap(({ to, ports }: Manifest) =>
        to.flatMap(({ podSelector }: Manifest) => {
          if (podSelector === undefined) return [];
          const pods = selectedBy(objects, podSelector);
          return pods.length > 0 &&
            pods.every((pod) =>
              ports.every(({ port }: Manifest) => portNumbersOf(pod).includes(port)),
            )
            ? []
            : [metadata.name];
        }),
      ),
    );

    expect([...wrong, ...astray]).toEqual([]);
  });

  it('let the callback-dispatcher reach no private address but those of its stores and of DNS', () => {
    const own = policies.filter(
      ({ spec }) =>
        spec.egress !== undefined &&
        selects(spec.podSelector, { 'app.kubernetes.io/name': 'callback-dispatcher' }),
    );
    const open = own
      .flatMap(({ spec }) => spec.egress)
      .filter(({ to }: Manifest) =>
        to.some(({ ipBlock }: Manifest) => ipBlock?.cidr === '0.0.0.0/0'),
      );
    const excepted = open.flatMap(({ to }: Manifest) =>
      to.flatMap(({ ipBlock }: Manifest) => ipBlock.except),
    );
    const others = own
      .filter(({ spec }) => !spec.egress.some((rule: Manifest) => open.includes(rule)))
      .flatMap(({ spec }) =>
        spec.egress.flatMap(({ ports }: Manifest) => ports.map(({ port }: Manifest) => port)),
      );

    expect(open).toHaveLength(1);
    expect(excepted).toEqual(
      expect.arrayContaining([
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '169.254.0.0/16',
        '127.0.0.0/8',
        '100.64.0.0/10',
      ]),
    );
    expect([...new Set(others)].sort()).toEqual([53, 5432, 6379]);
  });
});

describe('the component private-ca', () => {
  it('makes every container that speaks to a store trust the authority', () => {
    const objects = documentsOf(manifestText('overlays/production', 'private-ca')) as Manifest[];
    const trusting = workloadsOf(objects).flatMap(containersOf);
    const folder = '/etc/gateway-ca';

    expect(trusting).toHaveLength(9);
    for (const { env, volumeMounts } of trusting) {
      expect(env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: `${folder}/ca.crt` });
      expect(volumeMounts).toContainEqual({
        name: 'private-ca',
        mountPath: folder,
        readOnly: true,
      });
    }
  });
});

describe('the component monitoring', () => {
  const objects = documentsOf(manifestText('overlays/production', 'monitoring')) as Manifest[];

  it('holds every dashboard as a config map that Grafana’s sidecar finds', () => {
    const maps = ofKind(objects, 'ConfigMap').filter(
      ({ metadata }) => metadata.labels?.grafana_dashboard === '1',
    );
    const files = readdirSync(path.join(root, 'observability/dashboards')).sort();

    expect(maps.flatMap(({ data }) => Object.keys(data)).sort()).toEqual(files);
    for (const file of files) {
      expect(maps.find(({ data }) => file in data).data[file]).toBe(
        fileOf(`observability/dashboards/${file}`),
      );
    }
  });

  it('names the Helm release whose Prometheus operator takes it', () => {
    const releases = ofKind(objects, 'PodMonitor', 'PrometheusRule').map(
      ({ metadata }) => metadata.labels.release,
    );

    expect(releases).toEqual(['kube-prometheus-stack', 'kube-prometheus-stack']);
  });
});

describe('the files under k8s', () => {
  const files = readdirSync(path.join(root, 'k8s'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.yaml'),
  );

  it('are all used by an overlay or a component', () => {
    const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));
    const used = kustomizations.flatMap((file) => {
      const [{ resources = [], patches = [], configMapGenerator = [] }] = documentsOf(
        fileOf(`k8s/${file}`),
      ) as [Manifest];
      const named: string[] = [
        ...resources,
        ...patches.map((patch: Manifest) => patch.path),
        ...configMapGenerator.flatMap((generator: Manifest) => generator.files ?? []),
      ];
      return named
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => path.join(path.dirname(file), name));
    });

    expect(files.filter((file) => !used.includes(file) && !kustomizations.includes(file))).toEqual([
      'install.yaml',
    ]);
  });

  it('hold install.yaml as `npm run render` makes it', () => {
    const [comment, ...lines] = fileOf('k8s/install.yaml').split('\n');

    expect(comment).toContain('npm run render');
    expect(lines.join('\n')).toBe(manifestText('overlays/dev'));
  });

  it('mean the same to a reader of YAML 1.1, which Kubernetes is, as to one of YAML 1.2', () => {
    const all = [
      ...files.map((file) => fileOf(`k8s/${file}`)),
      ...installs.map(([, , text]) => text),
    ];

    for (const text of all) expect(documentsOf(text, '1.1')).toEqual(documentsOf(text));
    expect(documentsOf('- yes', '1.1')).not.toEqual(documentsOf('- yes'));
  });
});
