// The schemas that are published for the kinds in k8s/: Kubernetes' own, and those of custom resources.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SetupFailure } from '../setup/failure.mjs';

/** A Go module, with the file of it that holds schemas. */
export const kubernetes = {
  name: 'k8s.io/kubernetes@v1.34.2',
  path: 'api/openapi-spec/swagger.json',
};
/** Each with the folder of it that holds the definitions of its kinds. */
const custom = [
  { name: 'github.com/kedacore/keda/v2@v2.20.1', path: 'config/crd/bases' },
  { name: 'sigs.k8s.io/gateway-api@v1.4.1', path: 'config/crd/standard' },
  {
    name: 'github.com/prometheus-operator/prometheus-operator@v0.88.0',
    path: 'example/prometheus-operator-crd',
  },
];

/** On this machine: the folders with the definitions of custom resources. */
export const customFolders = () => custom.map(({ name, path }) => join(folderOf(name), path));

/** Where Go keeps a module, which it fetches when it has to. */
export function folderOf(name) {
  try {
    const told = execFileSync('go', ['mod', 'download', '-json', name], {
      encoding: 'utf8',
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return JSON.parse(told).Dir;
  } catch (error) {
    throw new SetupFailure(
      error.code === 'ENOENT'
        ? 'The published schemas are in Go modules: install Go, then run this again.'
        : `go mod download ${name} failed:\n${error.stdout}${error.stderr}`,
    );
  }
}

/** Go's patterns may say that case does not matter; JavaScript has no word for that inside one. */
const isReadable = ([key, value]) => key !== 'pattern' || !String(value).includes('(?i)');

/**
 * A schema that refuses unknown fields, as the API server does when it is told to be strict.
 *
 * @param {any} schema
 * @returns {any}
 */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string']) return { type: ['integer', 'string'] };
  const made = Object.fromEntries(
    Object.entries(schema)
      .filter(isReadable)
      .map(([key, value]) => [
        key,
        key === 'properties'
          ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
          : key === 'enum' || key === 'default' || key === 'required'
            ? value
            : closed(value),
      ]),
  );
  const isOpen =
    made.properties === undefined ||
    made.additionalProperties !== undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? made : { ...made, additionalProperties: false };
}

const reference = (name) => ({ $ref: `kubernetes#/definitions/${name}` });
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** `version kind` as objects write them. */
const keyOf = ({ group, version, kind }) => `${group ? `${group}/` : ''}${version} ${kind}`;

/**
 * By `apiVersion kind`: a JSON schema; `definitions` are what they refer to.
 *
 * @returns {{ definitions: any, byKind: Map<string, any> }}
 */
export function publishedSchemas() {
  const { name, path } = kubernetes;
  const { definitions: published } = JSON.parse(readFileSync(join(folderOf(name), path), 'utf8'));
  const definitions = Object.fromEntries(
    Object.entries(published).map(([each, schema]) => [each, closed(schema)]),
  );
  definitions[quantity] = { type: ['string', 'number'] };
  definitions[intOrString] = { type: ['integer', 'string'] };
  const byKind = new Map();
  for (const [each, schema] of Object.entries(published)) {
    for (const kind of schema['x-kubernetes-group-version-kind'] ?? []) {
      byKind.set(keyOf(kind), reference(each));
    }
  }
  for (const folder of customFolders()) {
    for (const [key, schema] of customSchemas(folder)) byKind.set(key, schema);
  }
  return { definitions: { $id: 'kubernetes', definitions }, byKind };
}

function customSchemas(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS())
    .filter((object) => object?.kind === 'CustomResourceDefinition')
    .flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name, schema }) => {
        const made = closed(schema.openAPIV3Schema);
        made.properties.metadata = reference(objectMeta);
        return /** @type {const} */ ([keyOf({ group, version: name, kind: names.kind }), made]);
      }),
    );
}
