import { type Fields, isFields } from '../json.ts';
import { mapChildren, resolveReference, someSchema } from './walk-schema.ts';

/**
 * What structured output of the messages dialect understands; the rest is said in words or left
 * out.
 */
const kept = new Set([
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'description',
  'title',
  'default',
  'format',
  'minItems',
  'pattern',
]);
/** Limits that the model can still be told of in the description. */
const told = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'pattern',
  'format',
  'not',
  'if',
  'then',
  'else',
]);
const formats: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
];
/** Lookaround, back references and word borders. */
const complexPattern = /\(\?[^:]|\\[bB1-9]/;

const accepts: Readonly<Record<string, (value: unknown) => boolean>> = {
  format: (value) => formats.includes(value),
  minItems: (value) => value === 0 || value === 1,
  pattern: (value) => typeof value === 'string' && !complexPattern.test(value),
};

/**
 * A schema within the limits of the vendor's structured output: closed objects, and what it does
 * not enforce moved to descriptions.
 */
export function strictSchema(schema: Fields): Fields {
  const { oneOf, ...rest } = schema;
  const alternatives =
    oneOf === undefined ? rest : rest['anyOf'] === undefined ? { ...rest, anyOf: oneOf } : rest;
  const entries = Object.entries(alternatives);
  const isKept = ([key, value]: [string, unknown]): boolean =>
    kept.has(key) && (accepts[key]?.(value) ?? true);
  const moved = entries
    .filter((entry) => told.has(entry[0]) && !isKept(entry))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}.`);
  const description = [schema['description'], ...moved]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(' ');
  const clean = mapChildren(Object.fromEntries(entries.filter(isKept)), strictSchema);
  return {
    ...clean,
    ...(description !== '' && { description }),
    ...(isObject(schema) && { properties: clean['properties'] ?? {}, additionalProperties: false }),
  };
}

const isObject = ({ type, properties }: Fields): boolean =>
  type === 'object' ||
  (Array.isArray(type) && type.includes('object')) ||
  (type === undefined && isFields(properties));

/**
 * True when closing the schema's objects would change what it means: it refers to itself, or has
 * objects with names of any kind.
 */
export const cannotBeStrict = (schema: Fields): boolean =>
  someSchema(schema, isOpenMap) || isRecursive(schema);

function isOpenMap(schema: Fields): boolean {
  if (!isObject(schema)) return false;
  const open = schema['additionalProperties'];
  const properties = isFields(schema['properties']) ? Object.keys(schema['properties']) : [];
  return (
    isFields(open) ||
    schema['patternProperties'] !== undefined ||
    (properties.length === 0 && open !== false)
  );
}

/** Follows the references of the schema from its top. */
function isRecursive(root: Fields): boolean {
  const finished = new Set<Fields>();
  const path = new Set<Fields>([root]);
  const visit = (schema: Fields): boolean =>
    someSchema(schema, ({ $ref }) => {
      const target = resolveReference(root, $ref);
      if (target === undefined || finished.has(target)) return false;
      if (path.has(target)) return true;
      path.add(target);
      const found = visit(target);
      path.delete(target);
      finished.add(target);
      return found;
    });
  return visit(root);
}
