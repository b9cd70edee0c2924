import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '@gateway/contracts';
import { ref } from '../http/resource-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** Gathers the schemas of the document: each concept once, under its name. */
export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The schema as readers see it, with references in place of named schemas inside it. */
  show(schema: unknown): unknown;
  /** The same as a component of this name. */
  add(name: string, schema: object): void;
}

/** Two different schemas under one name are a mistake, and throw. */
export function createComponents(): Components {
  const schemas: Record<string, Schema> = {};
  const add = (name: string, schema: object): void => {
    const { 'x-name': _name, 'x-here': _here, ...rest } = schema as Json;
    const shown: Schema = showParts(rest);
    const known = schemas[name];
    if (known !== undefined && !isDeepStrictEqual(withoutWords(known), withoutWords(shown))) {
      throw new Error(`two different schemas are called ${name}`);
    }
    schemas[name] ??= shown;
  };
  const showParts = (value: Json): Json => {
    const { 'x-must-be': mustBe, 'x-here': here, discriminator, ...rest } = value;
    return {
      ...Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, show(part)])),
      ...discriminatorOf(discriminator, value),
      ...(typeof here === 'string' && { description: here }),
      ...(typeof mustBe === 'string' &&
        rest['description'] === undefined && { description: `Must be ${mustBe}.` }),
    };
  };
  const show = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(show);
    if (typeof value !== 'object' || value === null) return value;
    const { 'x-name': name, 'x-here': here, 'x-shown': form } = value as Json;
    if (form !== undefined) return show(form);
    if (typeof name !== 'string') return showParts(value as Json);
    add(name, value);
    return { ...ref(name), ...(typeof here === 'string' && { description: here }) };
  };
  return { schemas, show, add };
}

const withoutWords = ({ description: _words, examples: _examples, ...schema }: Schema): Schema =>
  schema;

/** What names the branch of each value; nothing where the branches have no names. */
function discriminatorOf(discriminator: unknown, { oneOf }: Json): Json {
  if (discriminator === undefined || !Array.isArray(oneOf)) return {};
  const { propertyName } = discriminator as { propertyName: string };
  const mapping = (oneOf as readonly Schema[]).flatMap(({ 'x-name': name, properties }) => {
    const { const: value, enum: values = [value] } = (properties as Record<string, Schema>)[
      propertyName
    ] as { const?: unknown; enum?: readonly unknown[] };
    return typeof name === 'string'
      ? values.map((each) => [String(each), ref(name)['$ref']] as const)
      : [];
  });
  return mapping.length < oneOf.length
    ? {}
    : { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}
