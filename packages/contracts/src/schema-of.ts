/** A JSON Schema (2020-12), as plain data. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const whole: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
/** As every response writes a moment. */
export const moment: Schema = { type: 'string', format: 'date-time' };

export const constant = (value: string | boolean): Schema => ({ type: typeof value, const: value });
export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: values });
/** A word of these today; readers must bear one that is newer than themselves, so it is no enum. */
export const growing = (values: readonly string[]): Schema => ({
  type: 'string',
  'x-extensible-enum': values,
});
export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/**
 * A schema that the API reference shows once, as a component of this name, and refers to everywhere
 * else. For whatever validates, it is the schema itself.
 */
export const named = (name: string, schema: Schema): Schema => ({ ...schema, 'x-name': name });

/**
 * What a request is checked against, and what readers see of it: the whole form of a value that is
 * passed on, whichever fields it has.
 */
export const shown = (checked: object, form: object): Schema => ({ ...checked, 'x-shown': form });

/** Says what the value is; of a named schema: what it is here. */
export const described = (schema: Schema, description: string): Schema => ({
  ...schema,
  ...('x-name' in schema || '$ref' in schema ? { 'x-here': description } : { description }),
});

/** One of these objects, told apart by the constant in this field. */
export const eitherOf = (propertyName: string, schemas: readonly Schema[]): Schema => ({
  type: 'object',
  required: [propertyName],
  discriminator: { propertyName },
  oneOf: schemas,
});

/** The same, or null. */
export function orNull(schema: Schema): Schema {
  if ('x-name' in schema || typeof schema['type'] !== 'string') {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(schema['enum']) && { enum: [...(schema['enum'] as unknown[]), null] }),
  };
}

/**
 * The schema of what a serialiser writes: every field of its type, and no other. Those in
 * `optional` may be left out of a response.
 */
export const schemaOf = <Resource>(
  properties: Readonly<Record<keyof Resource & string, Schema>>,
  {
    optional = [],
    description,
  }: { optional?: readonly (keyof Resource & string)[]; description?: string } = {},
): Schema => ({
  type: 'object',
  ...(description !== undefined && { description }),
  required: Object.keys(properties).filter(
    (name) => !(optional as readonly string[]).includes(name),
  ),
  properties,
});
