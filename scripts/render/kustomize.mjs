// The part of Kustomize that k8s/ uses, and nothing beside it: a field that is not known here is an error, not left out.
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const knownFields = new Set(['apiVersion', 'kind', 'namespace', 'resources', 'components', 'configMapGenerator', 'patches', 'images']);
const clusterWide = new Set(['Namespace']);

/** Every document of a YAML text, read strictly: a key that stands twice, or anything else that is not clear, throws with its place. */
export function readDocuments(text, name) {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) throw new Error(`${name}: ${problem.message}`);
    return document.toJS();
  });
}

/**
 * The objects of a folder with a kustomization.yaml, as `kubectl apply -k` would make them, but for the hash at the end of
 * a generated ConfigMap's name. `components` are added to those that the folder names.
 */
export function renderFolder(folder, { components = [] } = {}) {
  return applyTo([], folder, components);
}

function applyTo(given, folder, extra = []) {
  const file = join(folder, 'kustomization.yaml');
  const [kustomization] = readDocuments(readFileSync(file, 'utf8'), file);
  const unknown = Object.keys(kustomization).filter((field) => !knownFields.has(field));
  if (unknown.length > 0) throw new Error(`${file}: not known to this renderer: ${unknown.join(', ')}`);
  let objects = [...given, ...(kustomization.resources ?? []).flatMap((path) => readResource(join(folder, path)))];
  for (const component of [...(kustomization.components ?? []).map((path) => join(folder, path)), ...extra]) objects = applyTo(objects, component);
  objects.push(...(kustomization.configMapGenerator ?? []).map((generator) => configMapOf(generator, folder)));
  for (const { path } of kustomization.patches ?? []) {
    for (const patch of readDocuments(readFileSync(join(folder, path), 'utf8'), path)) objects = patched(objects, patch, path);
  }
  for (const object of objects) {
    for (const image of kustomization.images ?? []) renameImage(object, image);
    if (kustomization.namespace !== undefined && !clusterWide.has(object.kind)) object.metadata = { name: object.metadata.name, namespace: kustomization.namespace, ...object.metadata };
  }
  refuseTwins(objects, file);
  return objects;
}

const readResource = (path) => (statSync(path).isDirectory() ? applyTo([], path) : readDocuments(readFileSync(path, 'utf8'), path));

function configMapOf({ name, literals = [], files = [] }, folder) {
  const entries = [
    ...literals.map((literal) => [literal.slice(0, literal.indexOf('=')), literal.slice(literal.indexOf('=') + 1)]),
    ...files.map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')]),
  ];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: Object.fromEntries(entries) };
}

const isSame = (one, other) => one.apiVersion === other.apiVersion && one.kind === other.kind && one.metadata.name === other.metadata.name;

function patched(objects, patch, path) {
  if (!objects.some((object) => isSame(object, patch))) throw new Error(`${path}: there is no ${patch.kind} ${patch.metadata.name} to patch`);
  return objects.map((object) => (isSame(object, patch) ? merge(object, patch) : object));
}

/** A strategic merge: maps by key, lists of named things by name (mounts by their path), other lists and values replaced, null removes. */
function merge(base, patch) {
  if (Array.isArray(base) && Array.isArray(patch)) return mergeLists(base, patch);
  if (!isMap(base) || !isMap(patch)) return patch;
  const merged = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = key in base ? merge(base[key], value) : value;
  }
  return merged;
}

function mergeLists(base, patch) {
  const key = ['mountPath', 'name'].find((each) => [...base, ...patch].every((item) => isMap(item) && each in item));
  if (key === undefined) return patch;
  const kept = base.map((item) => {
    const change = patch.find((each) => each[key] === item[key]);
    return change === undefined ? item : merge(item, change);
  });
  // Kustomize too puts what is new in front.
  return [...patch.filter((item) => !base.some((each) => each[key] === item[key])), ...kept];
}

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function renameImage(value, { name, newName, newTag }) {
  if (Array.isArray(value)) for (const item of value) renameImage(item, { name, newName, newTag });
  if (!isMap(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === 'image' && child === name) value[key] = `${newName ?? name}:${newTag}`;
    else renameImage(child, { name, newName, newTag });
  }
}

function refuseTwins(objects, file) {
  const names = objects.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new Error(`${file}: there are two of ${twin}`);
}
