import { describe, expect, it } from '@jest/globals';
import {
  describeError,
  errorCatalogue,
  GatewayError,
  type ErrorCode,
  type ErrorType,
} from '@gateway/domain';

/** The table of statuses that customers are promised. */
const promised: readonly (readonly [
  status: number,
  type: ErrorType,
  codes: readonly ErrorCode[],
])[] = [
  [
    400,
    'invalid_request_error',
    [
      'invalid_json',
      'invalid_parameter',
      'unknown_parameter',
      'missing_parameter',
      'mixed_formats',
      'conflicting_aliases',
      'unsupported_parameter',
      'invalid_callback_url',
      'context_length_exceeded',
    ],
  ],
  [
    401,
    'authentication_error',
    [
      'missing_api_key',
      'invalid_api_key',
      'expired_api_key',
      'invalid_admin_token',
      'missing_token',
    ],
  ],
  [402, 'quota_error', ['insufficient_quota']],
  [
    403,
    'permission_error',
    ['scope_missing', 'model_not_allowed', 'invalid_token', 'token_expired'],
  ],
  [
    404,
    'not_found_error',
    [
      'account_not_found',
      'key_not_found',
      'task_not_found',
      'model_not_found',
      'asset_not_found',
      'content_not_ready',
      'route_not_found',
    ],
  ],
  [405, 'invalid_request_error', ['method_not_allowed']],
  [409, 'conflict_error', ['idempotency_key_reused', 'not_cancellable', 'task_not_terminal']],
  [410, 'not_found_error', ['content_purged']],
  [413, 'invalid_request_error', ['payload_too_large']],
  [415, 'invalid_request_error', ['unsupported_media_type']],
  [416, 'invalid_request_error', ['range_not_satisfiable']],
  [429, 'rate_limit_error', ['rate_limit_exceeded', 'too_many_tasks']],
  [500, 'internal_error', ['internal']],
  [502, 'upstream_error', ['upstream_error']],
  [503, 'upstream_error', ['upstream_unavailable', 'billing_unavailable', 'overloaded']],
  [504, 'upstream_error', ['upstream_timeout']],
];

const typeOfStatus = (status: number): ErrorType | undefined =>
  promised.find(([known]) => known === status)?.[1];

describe('the catalogue of errors', () => {
  it.each(
    promised.flatMap(([status, type, codes]) => codes.map((code) => [code, status, type] as const)),
  )('has %s with status %d and type %s', (code, status, type) => {
    expect(errorCatalogue[code]).toMatchObject({ status, type });
  });

  it.each(Object.entries(errorCatalogue))(
    'gives %s a type that fits its status, and says what it means',
    (_code, { status, type, meaning }) => {
      expect(type).toBe(typeOfStatus(status) ?? 'invalid_request_error');
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
    },
  );
});

const fieldsOf = ({
  name,
  code,
  message,
  param,
  details,
  retryAfterMs,
  headers,
  cause,
}: GatewayError): object => ({ name, code, message, param, details, retryAfterMs, headers, cause });

describe('a GatewayError', () => {
  it('has a code and a sentence, and nothing else that was not given', () => {
    const error = new GatewayError('task_not_found', 'there is no such task in this account');

    expect(fieldsOf(error)).toEqual({
      name: 'GatewayError',
      code: 'task_not_found',
      message: 'there is no such task in this account',
      param: null,
      details: [],
      retryAfterMs: undefined,
      headers: {},
      cause: undefined,
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('carries everything that was given', () => {
    const cause = new Error('socket hang up');
    const details = [{ param: 'seed', message: 'seed must be an integer' }];
    const error = new GatewayError('invalid_parameter', 'seed must be an integer', {
      param: 'seed',
      details,
      retryAfterMs: 1_500,
      headers: { allow: 'GET' },
      cause,
    });

    expect(fieldsOf(error)).toEqual({
      name: 'GatewayError',
      code: 'invalid_parameter',
      message: 'seed must be an integer',
      param: 'seed',
      details,
      retryAfterMs: 1_500,
      headers: { allow: 'GET' },
      cause,
    });
  });

  it('is known by its brand, also from another copy of this package', () => {
    expect(GatewayError.is(new GatewayError('internal', 'x'))).toBe(true);
    expect(GatewayError.is({ [Symbol.for('gateway.GatewayError')]: true })).toBe(true);
  });

  it.each([
    ['an ordinary error', new Error('x')],
    ['the same fields', { name: 'GatewayError', code: 'internal', message: 'x' }],
    ['a text', 'GatewayError'],
    ['null', null],
    ['undefined', undefined],
    ['a parsed body', JSON.parse('{"Symbol(gateway.GatewayError)":true}') as unknown],
  ])('is not %s', (_case, value) => {
    expect(GatewayError.is(value)).toBe(false);
  });
});

describe('anything thrown, as a GatewayError', () => {
  it('stays what it is when it is one', () => {
    const error = new GatewayError('insufficient_quota', 'needed 500, available 20');

    expect(GatewayError.from(error)).toBe(error);
  });

  it.each([
    ['an error', new Error('password=hunter2')],
    ['a text', 'password=hunter2'],
    ['nothing', undefined],
  ])('becomes internal from %s, which only the cause tells', (_case, thrown) => {
    const error = GatewayError.from(thrown);

    expect({ code: error.code, param: error.param, details: error.details }).toEqual({
      code: 'internal',
      param: null,
      details: [],
    });
    expect(error.message).toBe('Something went wrong on our side. Quote the request id.');
    expect(error.cause).toBe(thrown);
  });
});

describe('the sentence in anything thrown', () => {
  it.each<[unknown, string]>([
    [new Error('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
    [{ message: 7 }, '7'],
    ['a text', 'a text'],
    [null, 'null'],
    [undefined, 'undefined'],
    [42, '42'],
  ])('of %p is %j', (thrown, sentence) => {
    expect(describeError(thrown)).toBe(sentence);
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error a code that is not in the catalogue
  new GatewayError('not_found', 'x'),
  // @ts-expect-error a status is looked up, never given
  new GatewayError('internal', 'x', { status: 418 }),
];
