type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberIn = (schema: Schema, key: string): number | undefined =>
  typeof schema[key] === 'number' ? schema[key] : undefined;

/** Schemas may point at themselves; deeper than this an instance becomes null. */
const maxDepth = 16;

const stringFormats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * The smallest value that a JSON Schema allows: required properties only, first choices, lower
 * bounds. `pattern` is not honoured.
 */
export function minimalInstance(root: unknown): unknown {
  return instanceOf(root, { root, depth: 0 });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}

function instanceOf(schema: unknown, { root, depth }: Place): unknown {
  if (!isSchema(schema) || depth > maxDepth) return null;
  const place = { root, depth: depth + 1 };
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[])[0];
  if (typeof schema['$ref'] === 'string') return instanceOf(resolve(root, schema['$ref']), place);
  if (Array.isArray(schema['allOf'])) {
    return instanceOf(merged(schema, (schema['allOf'] as unknown[]).filter(isSchema)), place);
  }
  const [choice] = [schema['anyOf'], schema['oneOf']].filter((choices) =>
    Array.isArray(choices),
  ) as unknown[][];
  if (choice !== undefined) return instanceOf(choice[0], place);
  return makers[typeNameOf(schema)]?.(schema, place) ?? null;
}

function typeNameOf(schema: Schema): string {
  const { type } = schema;
  const named: unknown = Array.isArray(type)
    ? (type as unknown[]).find((one) => one !== 'null')
    : type;
  if (typeof named === 'string') return named;
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

const makers: Readonly<Record<string, (schema: Schema, place: Place) => unknown>> = {
  object: (schema, place) => {
    const properties = isSchema(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required'])
      ? (schema['required'] as unknown[]).map(String)
      : [];
    return Object.fromEntries(
      required.map((name) => [name, instanceOf(properties[name] ?? { type: 'string' }, place)]),
    );
  },
  array: (schema, place) =>
    Array.from({ length: numberIn(schema, 'minItems') ?? 0 }, () =>
      instanceOf(schema['items'] ?? { type: 'string' }, place),
    ),
  string: (schema) => {
    const text = stringFormats[String(schema['format'])] ?? 'text';
    return text
      .padEnd(numberIn(schema, 'minLength') ?? 0, '.')
      .slice(0, numberIn(schema, 'maxLength'));
  },
  integer: (schema) => smallestNumber(schema, 1),
  number: (schema) => smallestNumber(schema, numberIn(schema, 'multipleOf') ?? 0.5),
  boolean: () => true,
};

function smallestNumber(schema: Schema, unit: number): number {
  const step = numberIn(schema, 'multipleOf') ?? unit;
  const least = numberIn(schema, 'minimum');
  const above = numberIn(schema, 'exclusiveMinimum');
  if (above !== undefined) return (Math.floor(above / step) + 1) * step;
  if (least !== undefined) return Math.ceil(least / step) * step;
  return Math.min(0, numberIn(schema, 'maximum') ?? 0);
}

/** `#/$defs/x`: only what stands in the same document. */
function resolve(root: unknown, reference: string): unknown {
  const keys = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((value, key) => (isSchema(value) ? value[key] : undefined), root);
}

function merged(schema: Schema, parts: readonly Schema[]): Schema {
  return parts.reduce<Schema>(
    (all, part) => ({
      ...all,
      ...part,
      properties: {
        ...(all['properties'] as object | undefined),
        ...(part['properties'] as object | undefined),
      },
      required: [
        ...((all['required'] as unknown[] | undefined) ?? []),
        ...((part['required'] as unknown[] | undefined) ?? []),
      ],
    }),
    { ...schema, allOf: undefined },
  );
}
