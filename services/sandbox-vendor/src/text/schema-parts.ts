export interface SchemaObject {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly allOf?: readonly unknown[];
  readonly $defs?: Readonly<Record<string, unknown>>;
}

export const isSchemaObject = (schema: unknown): schema is SchemaObject =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema);

/** The schemas directly inside a schema, with the names they stand under. */
export const partsOfSchema = ({
  properties = {},
  $defs = {},
  items,
  anyOf = [],
  allOf = [],
}: SchemaObject): readonly (readonly [name: string, schema: unknown])[] => [
  ...Object.entries(properties),
  ...Object.entries($defs),
  ['items', items],
  ...[...anyOf, ...allOf].map((schema, index) => [String(index), schema] as const),
];
