import { constant, described, named, oneOf, schemaOf, type Schema } from '../schema-of.ts';

/** Vendors add fields of their own, which travel on as they are. */
const open = (schema: Schema): Schema => ({ ...schema, additionalProperties: true });

/** An object with these fields and any other; those in `optional` may be left out. */
export const openObject = (
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
  description?: string,
): Schema =>
  open(
    schemaOf<Record<string, unknown>>(properties, {
      optional,
      ...(description !== undefined && { description }),
    }),
  );

/** An object of this `type`. */
export const typed = (
  type: string,
  properties: Readonly<Record<string, Schema>> = {},
  optional: readonly string[] = [],
): Schema => openObject({ type: constant(type), ...properties }, optional);

export const anyOf = (schemas: readonly Schema[], description?: string): Schema => ({
  anyOf: schemas,
  ...(description !== undefined && { description }),
});

/** Reader's words for values that the gateway passes on without looking into them. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };
export const jsonSchema: Schema = described(anyObject, 'A JSON Schema of type `object`.');
export const detail = named('ImageDetail', oneOf(['auto', 'low', 'high']));
export const toolChoiceMode = named('ToolChoiceMode', oneOf(['none', 'auto', 'required']));
