import { STATUS_CODES } from 'node:http';
import { errorCatalogue, type ErrorCode } from '@gateway/domain';
import { shapes, type Schema } from '@gateway/contracts';
import type { Dialect } from '@gateway/text-dialects';
import { ref } from '../http/resource-schemas.ts';
import type { Access, OperationResponse, Operation } from './operation.ts';

const { described, growing, listOf, orNull, schemaOf, text, whole } = shapes;

const header = (description: string, schema: Schema = text, required?: true): Schema => ({
  description,
  schema,
  ...(required && { required }),
});

/** Headers of responses, by component. */
export const headerComponents: Readonly<
  Record<string, { readonly name: string; readonly header: Schema }>
> = {
  RequestId: {
    name: 'x-request-id',
    header: header('Identifies the request. Quote it when you ask for help.', text, true),
  },
  RateLimitLimit: {
    name: 'x-ratelimit-limit',
    header: header(
      'Requests that the key may make per minute; absent where no key is counted.',
      whole,
    ),
  },
  RateLimitRemaining: { name: 'x-ratelimit-remaining', header: header('Requests left.', whole) },
  RateLimitReset: {
    name: 'x-ratelimit-reset',
    header: header('Seconds until all of them are available again.', whole),
  },
  RateLimitLimitRequests: {
    name: 'x-ratelimit-limit-requests',
    header: header(
      'The same as `x-ratelimit-limit`, where clients of chat completions and responses look for it.',
      whole,
    ),
  },
  RateLimitRemainingRequests: {
    name: 'x-ratelimit-remaining-requests',
    header: header('The same as `x-ratelimit-remaining`.', whole),
  },
  RateLimitResetRequests: {
    name: 'x-ratelimit-reset-requests',
    header: header('The same as `x-ratelimit-reset`, with its unit: `12s`.'),
  },
  AnthropicRateLimitLimit: {
    name: 'anthropic-ratelimit-requests-limit',
    header: header(
      'The same as `x-ratelimit-limit`, where clients of messages look for it.',
      whole,
    ),
  },
  AnthropicRateLimitRemaining: {
    name: 'anthropic-ratelimit-requests-remaining',
    header: header('The same as `x-ratelimit-remaining`.', whole),
  },
  AnthropicRateLimitReset: {
    name: 'anthropic-ratelimit-requests-reset',
    header: header('When all requests are available again, as RFC 3339.', shapes.moment),
  },
  RetryAfter: {
    name: 'retry-after',
    header: header('Seconds to wait before the next attempt.', whole),
  },
  GatewayAttempts: {
    name: 'x-gateway-attempts',
    header: header('How many upstream attempts were made.', whole),
  },
  UpstreamRequestId: {
    name: 'x-upstream-request-id',
    header: header('The upstream’s own id for the request.'),
  },
  Estimated: {
    name: 'x-gateway-estimated',
    header: header('`true` when the count is an estimate.'),
  },
  Location: { name: 'location', header: header('Path of the created resource.') },
  'Idempotency-Replayed': {
    name: 'idempotency-replayed',
    header: header('`true` when the `Idempotency-Key` was used before and nothing was done again.'),
  },
  'Set-Cookie': {
    name: 'set-cookie',
    header: header(
      'The cookie of the session: `HttpOnly; SameSite=Strict`, and `Secure` over TLS.',
    ),
  },
  'Accept-Ranges': { name: 'accept-ranges', header: header('`bytes`.') },
  'Content-Range': {
    name: 'content-range',
    header: header('The range that was sent, and the size of the file: `bytes 0-1023/146515`.'),
  },
  'Content-Disposition': { name: 'content-disposition', header: header('A name for the file.') },
  ETag: { name: 'etag', header: header('Changes when the bytes do.') },
  'Last-Modified': { name: 'last-modified', header: header('When the file was stored.') },
};

const catalogue = Object.entries(errorCatalogue);

const errorCode = shapes.named(
  'ErrorCode',
  described(
    growing(Object.keys(errorCatalogue)),
    `For programs to branch on. More may be added.\n\n${catalogue
      .map(([code, { meaning }]) => `\`${code}\`: ${meaning}`)
      .join('\n\n')}`,
  ),
);

/** The error body of every route outside the text dialects. */
export const errorSchema: Schema = schemaOf<{ error: object }>({
  error: schemaOf<Record<'message' | 'type' | 'code' | 'param' | 'details', unknown>>(
    {
      message: described(text, 'For people: names the field, what it must be, and what was sent.'),
      type: shapes.oneOf([...new Set(Object.values(errorCatalogue).map(({ type }) => type))]),
      code: errorCode,
      param: described(orNull(text), 'JSON path of the field, or null.'),
      details: described(
        listOf(
          shapes.named(
            'ErrorDetail',
            schemaOf<{ param: string | null; message: string }>({
              param: described(orNull(text), 'JSON path of the field, or null.'),
              message: text,
            }),
          ),
        ),
        'Every violation in an invalid request.',
      ),
    },
    { optional: ['details'] },
  ),
});

const ofAnyRequest: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal',
];
const ofAnyKey: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'invalid_session',
  'foreign_page',
  'rate_limit_exceeded',
];
const ofOperators: readonly ErrorCode[] = [
  'invalid_admin_token',
  'invalid_session',
  'foreign_page',
  'rate_limit_exceeded',
];
const ofAccess: Readonly<Partial<Record<Access, readonly ErrorCode[]>>> = {
  admin: ofOperators,
  'operator session': ofOperators,
  'media token': [],
  open: [],
  'any key': ofAnyKey,
  session: ofAnyKey,
};

/** Every code that a route may respond with. */
const codesOf = ({ path, access, errors }: Operation): readonly ErrorCode[] => [
  ...new Set([
    ...ofAnyRequest,
    // Of a part that cannot be decoded, such as `%ff`.
    ...(path.includes('{') ? (['invalid_parameter'] as const) : []),
    ...(ofAccess[access] ?? [...ofAnyKey, 'scope_missing' as const]),
    ...errors,
  ]),
];

/** An upstream of the client’s own dialect is passed on in its own words, which may be any. */
const errorBodies: Readonly<Record<Dialect, Schema>> = {
  messages: { anyOf: [ref('MessagesError'), ref('UpstreamRefusal')] },
  chat: ref('ChatError'),
  responses: ref('ChatError'),
};
const limitHeaders = ['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'];
const waits = ['429', '503', '504', 'default'];
const nameOf = (status: string, dialect: Dialect | undefined): string => {
  const words = (STATUS_CODES[status] ?? 'Upstream Error').replace(/\W/g, '');
  return dialect === undefined ? words : `${dialect === 'messages' ? 'Messages' : 'Chat'}${words}`;
};

/** What a failure of this status carries, on every route that reports it in this way. */
const failureOf = (status: string, dialect: Dialect | undefined): OperationResponse => ({
  description:
    STATUS_CODES[status] ?? 'The upstream refused the request or failed, with its own status.',
  content: { 'application/json': dialect === undefined ? ref('Error') : errorBodies[dialect] },
  headers: [
    'RequestId',
    ...limitHeaders,
    ...(waits.includes(status) ? ['RetryAfter'] : []),
    ...(status === '416' ? ['Content-Range'] : []),
  ],
});

/** A failure of a route: the response that it shares with others, and its own codes. */
export interface Failure {
  readonly status: string;
  /** Of the shared response. */
  readonly component: string;
  readonly response: OperationResponse;
  readonly codes: readonly ErrorCode[];
}

/** All failures of a route by status. `default` stands for an upstream's own refusals. */
export function failuresOf(operation: Operation): readonly Failure[] {
  const { responses, dialect } = operation;
  const codes = codesOf(operation);
  const statuses = [...new Set(codes.map((code) => errorCatalogue[code].status))]
    .filter((status) => responses[status] === undefined)
    .sort((one, other) => one - other);
  return [...statuses.map(String), ...(dialect === undefined ? [] : ['default'])].map((status) => ({
    status,
    component: nameOf(status, dialect),
    response: failureOf(status, dialect),
    codes: codes.filter((code) => String(errorCatalogue[code].status) === status),
  }));
}

const withoutLimits: readonly Access[] = ['admin', 'operator session', 'media token', 'open'];

/** Components of the headers that a response has. */
export const headersOf = (
  { access }: Operation,
  { headers = [] }: OperationResponse,
): readonly string[] => [
  'RequestId',
  ...(withoutLimits.includes(access) ? [] : limitHeaders),
  ...headers,
];
