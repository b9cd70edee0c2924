import { type Fields, isFields } from '../json.ts';
import { readList } from '../values.ts';
import { mapChildren, resolveReference } from './walk-schema.ts';

const combinators = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * A tool's parameters as messages upstreams take them: an object schema with no `anyOf`, `oneOf`,
 * `allOf` or `$ref` at its top. Branches are merged: all their properties, and of alternatives only
 * what each of them requires.
 */
export function toolSchema(parameters: Fields): Fields {
  const root = resolveTop(parameters);
  const rest = withoutKeys(root, [...combinators, '$schema']);
  const branches = combinators.flatMap((combinator) => branchesOf(root, combinator));
  const properties = [rest, ...branches.flatMap(({ schemas }) => schemas)].reduce<Fields>(
    addProperties,
    {},
  );
  const required = new Set([...wordsIn(rest['required']), ...branches.flatMap(requiredOf)]);
  return {
    ...rest,
    type: 'object',
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };
}

interface Branches {
  readonly combinator: (typeof combinators)[number];
  readonly schemas: readonly Fields[];
}

function branchesOf(root: Fields, combinator: Branches['combinator']): Branches[] {
  const list = readList(root[combinator]);
  if (list === undefined) return [];
  return [
    {
      combinator,
      schemas: list
        .filter(isFields)
        .map((branch) =>
          branch['$ref'] === undefined
            ? branch
            : (resolveReference(root, branch['$ref']) ?? branch),
        ),
    },
  ];
}

function addProperties(properties: Fields, schema: Fields): Fields {
  const own = isFields(schema['properties']) ? schema['properties'] : {};
  const merged = Object.entries(own).map(([name, property]) => [
    name,
    Object.hasOwn(properties, name) ? either(properties[name], property) : property,
  ]);
  return { ...properties, ...(Object.fromEntries(merged) as Fields) };
}

const either = (one: unknown, other: unknown): unknown =>
  JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };

function requiredOf({ combinator, schemas }: Branches): string[] {
  const lists = schemas.map((schema) => wordsIn(schema['required']));
  if (combinator === 'allOf') return lists.flat();
  return (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
}

const wordsIn = (value: unknown): string[] =>
  (readList(value) ?? []).filter((item) => typeof item === 'string');

/** A reference at the top, replaced by what it names; definitions stay. */
function resolveTop(schema: Fields): Fields {
  const target = resolveReference(schema, schema['$ref']);
  return target === undefined || target === schema
    ? schema
    : { ...withoutKeys(schema, ['$ref']), ...target };
}

/** True when the schema's values are objects and it says so without detours. */
export const isObjectSchema = (schema: Fields): boolean =>
  (schema['type'] === 'object' ||
    (schema['type'] === undefined && isFields(schema['properties']))) &&
  [...combinators, '$ref'].every((key) => schema[key] === undefined);

/**
 * `{value: …}` around a schema of another kind. Definitions move to the top and references follow.
 */
export function wrapSchema(schema: Fields): Fields {
  const definitions = Object.fromEntries(
    Object.entries(schema).filter(([key]) => definitionKeys.includes(key)),
  );
  const moved = (child: Fields): Fields => {
    const reference = child['$ref'];
    const stays =
      typeof reference !== 'string' ||
      !reference.startsWith('#') ||
      definitionKeys.some((key) => reference.startsWith(`#/${key}/`));
    return mapChildren(
      stays ? child : { ...child, $ref: `#/properties/value${reference.slice(1)}` },
      moved,
    );
  };
  const { value, ...tops } = {
    ...mapChildren(definitions, moved),
    value: moved(withoutKeys(schema, [...definitionKeys, '$schema'])),
  };
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...tops,
  };
}

const definitionKeys = ['$defs', 'definitions'];

const withoutKeys = (schema: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
