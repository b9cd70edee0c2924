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
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const described = (schema: Schema, description: string): Schema => ({
  ...schema,
  description,
});

/** The same, or null. */
export function orNull(schema: Schema): Schema {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
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
