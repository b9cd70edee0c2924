// Applies the manifests to a Kubernetes API server as an operator would, and says what it objects to.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customFolders } from './schemas.mjs';

const strictly = ['apply', '--validate=strict', '-f', '-'];
const namespace = 'gateway';

const asList = (items) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const complaintsOf = ({ code, stderr }) =>
  stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && (code !== 0 || line.startsWith('Warning:')));

/** Each in a namespace of its own, so that one does not change the objects of another. */
const movedTo = (name, objects) =>
  objects.map((object) => {
    const moved = structuredClone(object);
    if (moved.metadata.namespace === namespace) moved.metadata.namespace = name;
    if (moved.kind === 'Namespace' && moved.metadata.name === namespace) moved.metadata.name = name;
    return moved;
  });

/** The pods that the controllers would make of these objects. */
const podsOf = (objects) =>
  objects
    .filter(({ spec }) => spec?.template?.spec?.containers !== undefined)
    .map(({ kind, metadata, spec: { template } }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: `${metadata.name}-${kind.toLowerCase()}`,
        namespace: metadata.namespace,
      },
      spec: template.spec,
    }));

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
      ...complaintsOf(kubectl(['create', '--dry-run=server', '-f', '-'], asList(pods))),
    ],
  };
}

/** A server that refuses neither of these would find nothing wrong with anything. */
export function isStrict({ kubectl }, name) {
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
  return (
    kubectl(strictly, asList([misspelt])).stderr.includes('unknown field') &&
    kubectl(['create', '--dry-run=server', '-f', '-'], asList([privileged])).stderr.includes(
      'violates PodSecurity "restricted',
    )
  );
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
