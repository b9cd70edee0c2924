import { type Fields, isFields } from '../json.ts';

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const single = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
const listed = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const named = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);

/** The same schema with each schema directly inside it replaced. */
export function mapChildren(schema: Fields, replace: (child: Fields) => Fields): Fields {
  const mapOne = (value: unknown): unknown => (isFields(value) ? replace(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (named.has(key) && isFields(value)) {
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, child]) => [name, mapOne(child)])),
        ];
      }
      if (listed.has(key) && Array.isArray(value)) return [key, value.map(mapOne)];
      return [key, single.has(key) ? mapOne(value) : value];
    }),
  );
}

/** True when the test holds for the schema or for one anywhere inside it. */
export function someSchema(schema: Fields, test: (schema: Fields) => boolean): boolean {
  if (test(schema)) return true;
  let found = false;
  mapChildren(schema, (child) => {
    found ||= someSchema(child, test);
    return child;
  });
  return found;
}

/**
 * The schema that a local reference (`#`, `#/…`) points at; undefined for others and for those that
 * lead nowhere.
 */
export function resolveReference(root: Fields, reference: unknown): Fields | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isFields(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return isFields(target) ? target : undefined;
}
