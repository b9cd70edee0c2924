import type { ErrorObject } from 'ajv';
import { createAjv } from '../../http/ajv.ts';
import { TextFailure } from '../failures.ts';
import type { ChatBody } from './body.ts';
import { chatSchema } from './schema.ts';

/** Reads bodies with their types checked; throws the vendor's response to a wrong one. */
export function createBodyReader(schema: object): (body: unknown) => unknown {
  const validate = createAjv({
    discriminator: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    verbose: true,
  }).compile(schema);
  return (body) => {
    if (validate(body)) return body;
    const [first] = validate.errors ?? [];
    throw first === undefined ? invalid('Invalid request.') : asFailure(first);
  };
}

const read = createBodyReader(chatSchema);

export const readChatBody = (body: unknown): ChatBody => read(body) as ChatBody;

/** A 400 in this vendor's words. */
export const invalid = (
  message: string,
  { param, code }: { param?: string; code?: string } = {},
): TextFailure =>
  new TextFailure(400, message, {
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  });

/** `/messages/0/content` is `messages[0].content` for this vendor. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');

type Reading = (
  place: string,
  params: Readonly<Record<string, unknown>>,
  error: ErrorObject,
) => readonly [message: string, code: string];

const printed = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
const quoted = (values: readonly unknown[]): string =>
  values
    .filter((value) => value !== null)
    .map((value) => `'${printed(value)}'`)
    .join(', ');
const article = (type: unknown): string =>
  `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const valueRefused: Reading = (place, { allowedValues, allowedValue }, { data }) => [
  `Invalid value: '${printed(data)}' for '${place}'. Supported values are: ${quoted(Array.isArray(allowedValues) ? (allowedValues as unknown[]) : [allowedValue])}.`,
  'invalid_value',
];

/** What is said, by the keyword of the schema that does not hold. */
const readings: Readonly<Record<string, Reading>> = {
  required: (place) => [`Missing required parameter: '${place}'.`, 'missing_required_parameter'],
  additionalProperties: (place) => [`Unknown parameter: '${place}'.`, 'unknown_parameter'],
  type: (place, { type }, { data }) => [
    `Invalid type for '${place}': expected ${[type]
      .flat()
      .filter((one) => one !== 'null')
      .map(article)
      .join(' or ')}, but got ${article(nameOfType(data))} instead.`,
    'invalid_type',
  ],
  enum: valueRefused,
  const: valueRefused,
  discriminator: (_place, { tag, tagValue }, { parentSchema }) => [
    `Invalid value: '${String(tagValue)}'. Supported values are: ${quoted(tagsOf(parentSchema, String(tag)))}.`,
    'invalid_value',
  ],
  pattern: (place, { pattern }, { data }) => [
    `Invalid '${place}': string '${String(data).slice(0, 80)}' does not match pattern. Expected a string that matches the pattern '${String(pattern)}'.`,
    'invalid_value',
  ],
  minLength: (place) => [
    `Invalid '${place}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    'empty_string',
  ],
  maxLength: (place, { limit }, { data }) => [
    `Invalid '${place}': string too long. Expected a string with maximum length ${String(limit)}, but got a string with length ${String(data).length} instead.`,
    'string_above_max_length',
  ],
  minItems: (place) => [
    `Invalid '${place}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    'empty_array',
  ],
  maxItems: (place, { limit }, { data }) => [
    `Invalid '${place}': array too long. Expected an array with maximum length ${String(limit)}, but got an array with length ${(data as unknown[]).length} instead.`,
    'array_above_max_length',
  ],
  minimum: (place, { limit }, { data }) => [
    `Invalid '${place}': integer below minimum value. Expected a value >= ${String(limit)}, but got ${String(data)} instead.`,
    'integer_below_min_value',
  ],
  maximum: (place, { limit }, { data }) => [
    `Invalid '${place}': integer above maximum value. Expected a value <= ${String(limit)}, but got ${String(data)} instead.`,
    'integer_above_max_value',
  ],
};

const tagsOf = (schema: ErrorObject['parentSchema'], tag: string): readonly string[] =>
  (
    (schema?.['oneOf'] ?? []) as readonly {
      readonly properties: Readonly<Record<string, { readonly const: string }>>;
    }[]
  ).flatMap(({ properties }) => properties[tag]?.const ?? []);

function asFailure(error: ErrorObject): TextFailure {
  const params = error.params as Readonly<Record<string, unknown>>;
  const key =
    params['missingProperty'] ??
    params['additionalProperty'] ??
    (error.keyword === 'discriminator' ? params['tag'] : undefined);
  const path = pathOf(error.instancePath);
  const place = [path, ...(key === undefined ? [] : [printed(key)])]
    .filter((one) => one !== '')
    .join('.');
  const [message, code] = readings[error.keyword]?.(place, params, error) ?? [
    `Invalid '${place}'.`,
    'invalid_value',
  ];
  return invalid(message, { param: place, code });
}
