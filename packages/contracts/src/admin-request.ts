import type { ValidateFunction } from 'ajv';
import { GatewayError } from '@gateway/domain';
import { createAjv, requestError, violationsOf, type Violation } from './violation.ts';

export interface AccountBody {
  readonly name: string;
  readonly quota: number;
}

export interface KeyBody {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  readonly expiresAt: Date | null;
  readonly requestsPerMinute: number | null;
}

export interface TopUpBody {
  readonly quota: number;
  readonly note: string;
}

/**
 * Reads the body that rotates a callback secret, of customers as of operators. Throws one failure
 * that names every violation.
 */
export interface RotationReader {
  /** For how many seconds the secret before goes on signing; the body may be left out. */
  overlapSeconds(body: unknown): number;
}

/** Reads the bodies of `/admin/v1`. Each throws one failure that names every violation. */
export interface AdminRequestReader extends RotationReader {
  account(body: unknown): AccountBody;
  key(body: unknown): KeyBody;
  topUp(body: unknown): TopUpBody;
}

const mostQuota = 999_999_999_999_999;
const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;

/** Text that people read: on one line, with something on it. */
const line = (maxLength: number) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    'x-must-be': `a text of 1 to ${maxLength} characters on one line`,
  }) as const;
const quota = (minimum: number) =>
  ({
    type: 'integer',
    minimum,
    maximum: mostQuota,
    'x-must-be': `a whole number of quota units between ${minimum} and ${mostQuota}`,
  }) as const;

const accountSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: line(200), quota: quota(0) },
} as const;
const topUpSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['quota'],
  properties: { quota: quota(1), note: line(500) },
} as const;
const rotationSchema = {
  type: 'object',
  additionalProperties: false,
  'x-must-be': `a JSON object, such as {"overlap_seconds": ${defaultOverlapSeconds}}, or left out`,
  properties: {
    overlap_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: longestOverlapSeconds,
      'x-must-be': `an integer between 0 and ${longestOverlapSeconds}`,
    },
  },
} as const;

/** Scopes are the store's to say. */
const keySchema = (scopes: readonly string[]) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: line(200),
      scopes: {
        type: 'array',
        minItems: 1,
        maxItems: scopes.length,
        uniqueItems: true,
        items: { enum: scopes },
        'x-must-be': `a list of different scopes from ${scopes.join(', ')}, with at least one`,
      },
      models: {
        type: ['array', 'null'],
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        items: line(200),
        'x-must-be':
          'a list of different names of models, with at least one; or null for every model',
      },
      expires_at: {
        type: ['string', 'null'],
        pattern:
          '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        'x-must-be':
          'an ISO 8601 time with its zone, such as 2027-01-31T12:00:00Z; or null for never',
      },
      requests_per_minute: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: 1_000_000,
        'x-must-be': 'an integer between 1 and 1000000; or null for the default',
      },
    },
  }) as const;

/** The schemas that check the bodies of `/admin/v1`, for the API reference. */
export const adminRequestSchemas = (scopes: readonly string[]) =>
  ({
    account: accountSchema,
    key: keySchema(scopes),
    topUp: topUpSchema,
    rotation: rotationSchema,
  }) as const;

/** As the schemas let them through. */
interface KeyFields {
  readonly name: string;
  readonly scopes?: readonly string[];
  readonly models?: readonly string[] | null;
  readonly expires_at?: string | null;
  readonly requests_per_minute?: number | null;
}

export function createAdminRequestReader({
  scopes,
  now,
}: {
  readonly scopes: readonly string[];
  readonly now: () => Date;
}): AdminRequestReader {
  const ajv = createAjv();
  const schemas = adminRequestSchemas(scopes);
  const validators = {
    account: ajv.compile(schemas.account),
    key: ajv.compile(schemas.key),
    topUp: ajv.compile(schemas.topUp),
  };
  return {
    account(body) {
      check(validators.account, body);
      const { name, quota: amount = 0 } = body as Partial<AccountBody> & { name: string };
      return { name, quota: amount };
    },
    key(body) {
      check(validators.key, body, (fields) => expiryViolations(fields, now()));
      const {
        name,
        scopes: chosen = scopes,
        models,
        expires_at: expiresAt,
        requests_per_minute: requestsPerMinute = null,
      } = body as KeyFields;
      return {
        name,
        scopes: chosen,
        models: models ?? [],
        expiresAt: expiresAt == null ? null : new Date(expiresAt),
        requestsPerMinute,
      };
    },
    topUp(body) {
      check(validators.topUp, body);
      const { quota: amount, note = 'top-up' } = body as Partial<TopUpBody> & { quota: number };
      return { quota: amount, note };
    },
    ...createRotationReader(),
  };
}

/** For the routes of customers, which read no other body of the operator's. */
export function createRotationReader(): RotationReader {
  const validate = createAjv().compile(rotationSchema);
  return {
    overlapSeconds(body) {
      if (body === undefined) return defaultOverlapSeconds;
      check(validate, body);
      return (body as { overlap_seconds?: number }).overlap_seconds ?? defaultOverlapSeconds;
    },
  };
}

/** Throws one failure with everything that is wrong with the body. */
function check(
  validate: ValidateFunction,
  body: unknown,
  also: (fields: Readonly<Record<string, unknown>>) => readonly Violation[] = () => [],
): void {
  if (body === undefined) throw new GatewayError('invalid_json', 'the body must be a JSON object');
  const found = violationsOf(validate, body);
  const named = new Set(found.map(({ param }) => param));
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const [first, ...rest] = [
    ...found,
    ...(isObject
      ? also(body as Record<string, unknown>).filter(({ param }) => !named.has(param))
      : []),
  ];
  if (first !== undefined) throw requestError([first, ...rest]);
}

/**
 * A time that the pattern lets through may still be none (the 31st of February), or lie behind us.
 */
function expiryViolations(
  { expires_at: text }: Readonly<Record<string, unknown>>,
  now: Date,
): readonly Violation[] {
  if (typeof text !== 'string') return [];
  const at = new Date(text);
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && text.startsWith(day.toISOString().slice(0, 10));
  if (isDay && at > now) return [];
  return [
    {
      code: 'invalid_parameter',
      param: 'expires_at',
      message: `expires_at must be a time in the future; got ${JSON.stringify(text.slice(0, 80))}`,
    },
  ];
}
