import type { ErrorObject, ValidateFunction } from 'ajv';
import { GatewayError, type ErrorCode } from '@gateway/domain';

/** One thing wrong with a request: which code it has, where it is, and what would be right. */
export interface Violation {
  readonly code: ErrorCode;
  /** JSON path of the field (`references[1].url`), or null for the body as a whole. */
  readonly param: string | null;
  readonly message: string;
}

/** More would help nobody. */
const maxViolations = 50;
const longestShown = 80;

/** Runs a compiled schema; every violation with its JSON path, at most one for each field. */
export const violationsOf = (validate: ValidateFunction, value: unknown): Violation[] =>
  locatedViolationsOf(validate, value).map(({ violation }) => violation);

export interface LocatedViolation {
  readonly violation: Violation;
  /** The names on the way to the field: unlike `param` exact for names with dots in them. */
  readonly path: readonly string[];
}

/** As `violationsOf`, with the place of each. */
export function locatedViolationsOf(
  validate: ValidateFunction,
  value: unknown,
): LocatedViolation[] {
  if (validate(value)) return [];
  const found = new Map<string | null, LocatedViolation>();
  for (const error of validate.errors ?? []) {
    // says only that its other branch failed, which tells why itself
    if (error.keyword === 'if') continue;
    const violation = toViolation(error);
    if (!found.has(violation.param)) found.set(violation.param, { violation, path: pathOf(error) });
  }
  return [...found.values()].slice(0, maxViolations);
}

/** All violations as one failure: the first gives code and message, `details` names each. */
export function requestError([first, ...rest]: readonly [Violation, ...Violation[]]): GatewayError {
  const details = [first, ...rest].map(({ param, message }) => ({ param, message }));
  return new GatewayError(first.code, first.message, { param: first.param, details });
}

function toViolation(error: ErrorObject): Violation {
  const path = jsonPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required') {
    const param = join(path, String(params['missingProperty']));
    return { code: 'missing_parameter', param, message: `${param} is required` };
  }
  if (error.keyword === 'additionalProperties') {
    const param = join(path, shorten(String(params['additionalProperty'])));
    return {
      code: 'unknown_parameter',
      param,
      message: `${param} is not a known field; check its spelling`,
    };
  }
  const param = path === '' ? null : path;
  return {
    code: 'invalid_parameter',
    param,
    message: `${param ?? 'the body'} must be ${expectation(error)}; got ${isSecret(path) ? 'something else' : show(error.data)}`,
  };
}

const typeWords: Partial<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** What a keyword wants, from ajv's word for it. */
const keywordWords: Partial<Record<string, (params: Record<string, unknown>) => string>> = {
  enum: ({ allowedValues }) => `one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  type: ({ type }) => typeWords[String(type)] ?? String(type),
  discriminator: ({ tag }) => `an object whose ${String(tag)} is one of the known kinds`,
};

function expectation(error: ErrorObject): string {
  const schema = error.parentSchema;
  const inWords: unknown = schema?.['x-must-be'];
  if (typeof inWords === 'string') return inWords;
  return (
    keywordWords[error.keyword]?.(error.params as Record<string, unknown>) ??
    (error.message ?? 'valid').replace(
      /^must (be |NOT have )?/,
      (_all, word: string | undefined) => (word?.startsWith('NOT') ? 'without ' : ''),
    )
  );
}

function show(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return shorten(text);
}

const shorten = (text: string): string =>
  text.length > longestShown ? `${text.slice(0, longestShown - 3)}...` : text;

/** A key that was pasted into the file must not end up in a log. */
const isSecret = (path: string): boolean => /(^|\.)api_key$/.test(path);

function pathOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const { missingProperty, additionalProperty } = params as Partial<Record<string, string>>;
  const last =
    keyword === 'required'
      ? missingProperty
      : keyword === 'additionalProperties'
        ? additionalProperty
        : undefined;
  return [...partsOf(instancePath), ...(last === undefined ? [] : [last])];
}

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `/references/1/url` as `references[1].url`. */
const jsonPath = (pointer: string): string => showPath(partsOf(pointer));

/** The names on the way to a field, as people write them. */
export const showPath = (parts: readonly string[]): string =>
  parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');

const join = (path: string, part: string): string => (path === '' ? part : `${path}.${part}`);
