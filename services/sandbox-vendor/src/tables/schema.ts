/** The schema of an object with these fields and no others. */
export const closed = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
