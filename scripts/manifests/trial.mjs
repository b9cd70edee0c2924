// Applies the manifests to a Kubernetes API server as an operator would, and says what it objects to.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customFolders } from './schemas.mjs';

const strictly = ['apply', '--validate=strict', '-f', '-'];
const namespace = 'gateway';

const asList = (items) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

/** The Job of a release has the image's tag in its name, dots and all: allowed, and nobody looks its host up. */
const expectedWarning =
  /^Warning: metadata\.name: this is used in .* a DNS label is recommended: \[must not contain dots\]$/;
const complaintsOf = ({ code, stderr }) =>
  stderr
    .split('\n')
    .filter(
      (line) =>
        line.trim() !== '' &&
        (code !== 0 || line.startsWith('Warning:')) &&
        !expectedWarning.test(line),
    );

/** Each in a namespace of its own, so that one does not change the objects of another. */
const movedTo = (name, objects) =>
  objects.map((object) => {
    const moved = structuredClone(object);
    if (moved.metadata.namespace === namespace) moved.metadata.namespace = name;
    if (moved.kind === 'Namespace' && moved.metadata.name === namespace) moved.metadata.name = name;
    return moved;
  });

/** What the controller of a StatefulSet adds to its pods. */
const claimedVolumes = (claims = []) =>
  claims.map(({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: name } }));

/** The pods that the controllers would make of these objects. */
const podsOf = (objects) =>
  objects
    .filter(({ spec }) => spec?.template?.spec?.containers !== undefined)
    .map(({ kind, metadata, spec: { template, volumeClaimTemplates } }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: `${metadata.name}-${kind.toLowerCase()}`,
        namespace: metadata.namespace,
      },
      spec: {
        ...template.spec,
        volumes: [...(template.spec.volumes ?? []), ...claimedVolumes(volumeClaimTemplates)],
      },
    }));

/** A controller makes it in each namespace, and none runs here; pods that name no other account need it. */
const defaultAccountOf = (namespaceName) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: namespaceName },
});

/** The kinds that KEDA, the Gateway API and the Prometheus operator bring. */
export function installCustomKinds({ kubectl }) {
  const complaints = customFolders().flatMap((folder) =>
    complaintsOf(kubectl(['apply', '--server-side', '-f', folder])),
  );
  const waited = kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  return [...complaints, ...complaintsOf(waited)];
}

/**
 * What the server objects to: in the objects, strictly and with their warnings, and in the pods of
 * the workloads under the namespace's own enforced standard.
 */
export function applyTo({ kubectl }, name, objects) {
  const moved = movedTo(name, objects);
  const others = [...new Set(moved.map(({ metadata }) => metadata.namespace))]
    .filter((each) => each !== undefined && each !== name)
    .map((each) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: each } }));
  const pods = podsOf(moved);
  return {
    pods: pods.length,
    complaints: [
      ...complaintsOf(kubectl(strictly, asList([...others, ...moved]))),
      ...complaintsOf(kubectl(strictly, asList([defaultAccountOf(name)]))),
      ...complaintsOf(kubectl(['create', '--dry-run=server', '-f', '-'], asList(pods))),
    ],
  };
}

/** What the server lets pass of what it has to refuse: such a server would find nothing wrong with anything. */
export function refusalsMissing({ kubectl }, name) {
  const misspelt = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'misspelt', namespace: name },
    dataa: {},
  };
  const privileged = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'privileged', namespace: name },
    spec: { containers: [{ name: 'one', image: 'one', securityContext: { privileged: true } }] },
  };
  const refusals = [
    ['an unknown field', kubectl(strictly, asList([misspelt])), 'unknown field'],
    [
      'a privileged pod',
      kubectl(['create', '--dry-run=server', '-f', '-'], asList([privileged])),
      'violates PodSecurity "restricted',
    ],
  ];
  return refusals
    .filter(([, { stderr }, word]) => !stderr.includes(word))
    .map(([what, { code, stderr }]) => `${what} was let pass with ${code}: ${stderr.trim()}`);
}

/** A copy of k8s/ whose production overlay names another tag, as an operator changes it for a release. */
export function withTag(root, tag, use) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'release-'));
  try {
    cpSync(join(root, 'k8s'), join(folder, 'k8s'), { recursive: true });
    const file = join(folder, 'k8s', 'overlays', 'production', 'kustomization.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/newTag: .*/, `newTag: ${tag}`));
    return use(join(folder, 'k8s', 'overlays', 'production'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
