// npm run manifests: holds everything under k8s/ against the published schemas, or a real API server.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup, root } from './setup.mjs';

const help = `npm run manifests                   hold the rendered overlays, with and without components, against the schemas that
                                    Kubernetes, KEDA, the Gateway API and the Prometheus operator publish, unknown fields refused
npm run manifests -- --server       apply them, strictly, to a Kubernetes API server that is started for it, with every pod held against
                                    the standard "restricted", then a second release on top of the first, and the first again

Needs kubectl or kustomize, and Go, whose modules the schemas are in. The server is etcd (ETCD names one, else that of the PATH or of
Debian) and kube-apiserver (KUBE_APISERVER names one, else it is built once from its Go module, which takes a quarter of an hour).
No controllers and no nodes: nothing is scheduled. Without --server rules in CEL are not evaluated.
`;

/** As YAML 1.1, which Kubernetes reads. */
async function yamlReader() {
  const { parseAllDocuments } = await import('yaml');
  return (text) => parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());
}

const render = (folder, components = []) =>
  execFileSync(
    process.execPath,
    ['scripts/render.mjs', folder, ...components.map((component) => `k8s/components/${component}`)],
    { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000 },
  );

const overlay = (name, ...components) => ({
  name: [`overlays/${name}`, ...components].join(' + '),
  text: () => render(`k8s/overlays/${name}`, components),
});

const renderings = [
  { name: 'install.yaml', text: () => readFileSync(join(root, 'k8s/install.yaml'), 'utf8') },
  overlay('dev'),
  overlay('dev', 'hpa', 'keda'),
  overlay('production'),
  overlay('production', 'gateway-api', 'monitoring', 'private-ca'),
];

/** What is wrong with each object, by the schema of its kind. */
function problemsOf(objects, { ajv, byKind }) {
  return objects.flatMap((object) => {
    const schema = byKind.get(`${object.apiVersion} ${object.kind}`);
    const name = `${object.kind}/${object.metadata?.name}`;
    if (schema === undefined) return [`${name}: no schema for ${object.apiVersion} ${object.kind}`];
    if (ajv.validate(schema, object)) return [];
    return (ajv.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${name}${instancePath} ${message}${params.additionalProperty ? `: ${params.additionalProperty}` : ''}`,
    );
  });
}

async function holdAgainstSchemas({ objectsIn, told }) {
  const [{ createAjv }, { publishedSchemas }] = await Promise.all([
    import('@gateway/contracts'),
    import('./manifests/schemas.mjs'),
  ]);
  const { definitions, byKind } = publishedSchemas();
  const ajv = createAjv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(definitions);
  for (const { name, text } of renderings) {
    const objects = objectsIn(text());
    told(`${name}: ${objects.length} objects`, problemsOf(objects, { ajv, byKind }));
  }
}

async function applyToServer({ objectsIn, told }) {
  const [{ apiServerPrograms }, { startApiServer }, trial, { freePorts }] = await Promise.all([
    import('./manifests/programs.mjs'),
    import('./manifests/server.mjs'),
    import('./manifests/trial.mjs'),
    import('../packages/local-stack/dist/ports.js'),
  ]);
  const programs = await apiServerPrograms((line) => process.stderr.write(`${line}\n`));
  const server = await startApiServer(programs, await freePorts(3));
  try {
    told('custom kinds', trial.installCustomKinds(server));
    const apply = (title, name, text) => {
      const objects = objectsIn(text);
      const { pods, complaints } = trial.applyTo(server, name, objects);
      told(`${title}: ${objects.length} objects, ${pods} pods`, complaints);
    };
    renderings.forEach(({ name, text }, at) => apply(name, `gateway-${at}`, text()));
    for (const tag of ['1.0.0', '1.1.0', '1.0.0']) {
      apply(`release ${tag}`, 'gateway-releases', trial.withTag(root, tag, render));
    }
    told('what must be refused', trial.refusalsMissing(server, 'gateway-0'));
  } finally {
    await server.stop();
  }
}

try {
  const { values } = readArguments(help, { options: { server: { type: 'boolean' } } });
  await ensureSetup();
  const wrong = [];
  const told = (title, problems) => {
    process.stdout.write(`${title}, ${problems.length} problems\n`);
    wrong.push(...problems.map((problem) => `  ${title}: ${problem}`));
  };
  const hold = values.server === true ? applyToServer : holdAgainstSchemas;
  await hold({ objectsIn: await yamlReader(), told });
  if (wrong.length > 0) throw new SetupFailure(wrong.join('\n'));
} catch (error) {
  endWith(error);
}
