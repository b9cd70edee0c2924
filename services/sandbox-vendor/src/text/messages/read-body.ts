import type { ErrorObject } from 'ajv';
import { createAjv } from '../../http/ajv.ts';
import { TextFailure } from '../failures.ts';
import type { MessagesBody } from './body.ts';
import { schemas } from './schema.ts';

export type MessagesOperation = keyof typeof schemas;

const ajv = createAjv({
  discriminator: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
});
const validators = {
  create: ajv.compile<MessagesBody>(schemas.create),
  count: ajv.compile<MessagesBody>(schemas.count),
};

/** The body with its types checked; throws the vendor's response to a wrong one. */
export function readMessagesBody(operation: MessagesOperation, body: unknown): MessagesBody {
  const validate = validators[operation];
  if (validate(body)) return body;
  const [first] = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  throw first === undefined ? invalid('body', 'Input is invalid') : asFailure(first);
}

/** A 400 as this vendor words it: the place, then what is wrong there. */
export const invalid = (place: string, problem: string): TextFailure =>
  new TextFailure(400, `${place}: ${problem}`, { param: place });

const typeWords: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'dictionary',
};

const printed = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** What is wrong, by the keyword of the schema that does not hold. */
const problems: Readonly<
  Record<string, (params: Readonly<Record<string, unknown>>, error: ErrorObject) => string>
> = {
  required: () => 'Field required',
  additionalProperties: () => 'Extra inputs are not permitted',
  type: ({ type }) =>
    `Input should be a valid ${typeWords[String([type].flat()[0])] ?? String(type)}`,
  enum: ({ allowedValues }) =>
    `Input should be ${(allowedValues as unknown[])
      .filter((value) => value !== null)
      .map((value) => `'${printed(value)}'`)
      .join(', ')
      .replace(/, ([^,]+)$/, ' or $1')}`,
  const: ({ allowedValue }) => `Input should be '${String(allowedValue)}'`,
  pattern: ({ pattern }) => `String should match pattern '${String(pattern)}'`,
  minLength: ({ limit }) =>
    `String should have at least ${String(limit)} character${limit === 1 ? '' : 's'}`,
  maxLength: ({ limit }) => `String should have at most ${String(limit)} characters`,
  minItems: ({ limit }) =>
    `List should have at least ${String(limit)} item${limit === 1 ? '' : 's'}`,
  maxItems: ({ limit }) => `List should have at most ${String(limit)} items`,
  minimum: ({ limit }) => `Input should be greater than or equal to ${String(limit)}`,
  maximum: ({ limit }) => `Input should be less than or equal to ${String(limit)}`,
  discriminator: ({ tagValue }, { parentSchema }) =>
    `Input tag '${String(tagValue)}' found using 'type' does not match any of the expected tags: ${tagsOf(parentSchema).join(', ')}`,
};

const tagsOf = (schema: ErrorObject['parentSchema']): readonly string[] =>
  (
    (schema?.['oneOf'] ?? []) as readonly {
      readonly properties: { readonly type: { readonly const: string } };
    }[]
  ).map(({ properties }) => `'${properties.type.const}'`);

function asFailure(error: ErrorObject): TextFailure {
  const params = error.params as Readonly<Record<string, unknown>>;
  const missing = params['missingProperty'] ?? params['additionalProperty'];
  const place = [
    ...error.instancePath.split('/').slice(1),
    ...(missing === undefined ? [] : [printed(missing)]),
  ].join('.');
  return invalid(
    place === '' ? 'body' : place,
    problems[error.keyword]?.(params, error) ?? error.message ?? 'Input is invalid',
  );
}
